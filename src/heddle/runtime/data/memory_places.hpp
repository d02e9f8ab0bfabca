#pragma once

#include <cstddef>

#include "heddle/model/platform.hpp"
#include "heddle/runtime/data/buffer.hpp"

namespace heddle::runtime {

/// How the runtime numbers memories: that of the program is kHost, whatever place it has in the platform; the others
/// follow in the platform's order.
class MemoryPlaces {
 public:
  explicit MemoryPlaces(const Platform& platform) : ram_(index(platform.find_memory("ram").value())) {}

  /// Of a memory of the platform.
  [[nodiscard]] MemoryId of(MemoryId memory) const {
    const std::size_t number = index(memory);
    return number == ram_ ? kHost : make_id<MemoryId>(number < ram_ ? number + 1 : number);
  }
  [[nodiscard]] MemoryId in_platform(MemoryId place) const {
    const std::size_t number = index(place);
    return make_id<MemoryId>(place == kHost ? ram_ : number <= ram_ ? number - 1 : number);
  }

 private:
  std::size_t ram_;
};

}  // namespace heddle::runtime
