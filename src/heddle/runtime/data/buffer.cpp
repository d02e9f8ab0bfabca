#include "heddle/runtime/data/buffer.hpp"

#include <cstring>

namespace heddle::runtime {

void copy(const Shape& shape, const Piece& from, const Piece& to) {
  if (from.leading == shape.rows && to.leading == shape.rows) {
    std::memcpy(to.address, from.address, shape.bytes());
    return;
  }
  const auto* source = static_cast<const std::byte*>(from.address);
  auto* target = static_cast<std::byte*>(to.address);
  for (std::size_t column = 0; column < shape.columns; ++column) {
    std::memcpy(target, source, shape.column_bytes());
    source += from.leading * shape.element;
    target += to.leading * shape.element;
  }
}

}  // namespace heddle::runtime
