#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// Memory that holds a copy of a datum, or what will become one.
struct Buffer {
  Piece piece;
  bool is_home = false;     ///< the program's own memory
  bool is_current = false;  ///< holds the valid value
  std::uint32_t pins = 0;   ///< aborted attempts whose kernels still use it
  std::size_t bytes = 0;
  std::unique_ptr<std::byte[]> memory{};  ///< unless it is the program's

  /// Whether a task may write into it although the present value has to be kept.
  [[nodiscard]] bool is_free() const { return !is_current && pins == 0; }
};

/// Buffers that are not in use, by size; they are kept for the next attempt.
class BufferPool {
 public:
  /// Throws std::bad_alloc.
  [[nodiscard]] Buffer* take(const Shape& shape) {
    std::vector<std::unique_ptr<Buffer>>& free = free_[shape.bytes()];
    if (free.empty()) {
      auto memory = std::make_unique_for_overwrite<std::byte[]>(shape.bytes());
      auto buffer = std::make_unique<Buffer>();
      buffer->bytes = shape.bytes();
      buffer->memory = std::move(memory);
      buffer->piece.address = buffer->memory.get();
      free.push_back(std::move(buffer));
    }
    Buffer* buffer = free.back().release();
    free.pop_back();
    buffer->piece.leading = shape.rows;
    return buffer;
  }
  /// The buffer came from take().
  void give_back(Buffer* buffer) { free_[buffer->bytes].emplace_back(buffer); }

 private:
  std::unordered_map<std::size_t, std::vector<std::unique_ptr<Buffer>>> free_;
};

/// Copies a datum, column by column where the columns do not follow each other.
void copy(const Shape& shape, const Piece& from, const Piece& to);

}  // namespace heddle::runtime
