#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heddle/runtime/data/buffer.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

/// Where buffers come from, in one memory; those that are given back are kept for the next who wants as many bytes.
/// Guarded by the engine's lock.
class MemoryPool {
 public:
  /// Of the program's memory.
  MemoryPool() = default;
  /// Of a device's memory, of which at most `limit` bytes are used.
  MemoryPool(MemoryId memory, Device& device, std::uint64_t limit) : memory_(memory), device_(&device), limit_(limit) {}
  MemoryPool(MemoryPool&& other) noexcept;
  MemoryPool& operator=(MemoryPool&&) = delete;
  /// The buffers are not in use any more.
  ~MemoryPool();

  /// Null for the program's memory.
  [[nodiscard]] const Device* device() const { return device_; }
  /// Null when the device has no room; throws std::bad_alloc when the program's memory has none.
  [[nodiscard]] Buffer* take(const Shape& shape) {
    std::vector<Buffer*>& free = free_[shape.bytes()];
    if (free.empty()) return allocate(shape);
    Buffer* buffer = free.back();
    free.pop_back();
    buffer->hold(shape);
    return buffer;
  }
  /// The buffer came from take(), and is not in use.
  void give_back(Buffer* buffer) { free_[buffer->bytes()].push_back(buffer); }

 private:
  [[nodiscard]] Buffer* allocate(const Shape& shape);
  [[nodiscard]] void* allocate_bytes(std::size_t bytes);
  void release_bytes(Buffer& buffer);
  void trim();

  MemoryId memory_ = kHost;
  Device* device_ = nullptr;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes_ = 0;  ///< allocated, in use or not
  std::vector<std::unique_ptr<Buffer>> all_;
  std::unordered_map<std::size_t, std::vector<Buffer*>> free_;  ///< by size
};

}  // namespace heddle::runtime
