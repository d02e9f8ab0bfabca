#include "heddle/runtime/memory_pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace heddle::runtime {

MemoryPool::MemoryPool(MemoryPool&& other) noexcept
    : memory_(other.memory_),
      device_(other.device_),
      limit_(other.limit_),
      bytes_(std::exchange(other.bytes_, 0)),
      free_(std::exchange(other.free_, {})) {}

Buffer* MemoryPool::allocate(const Shape& shape) {
  auto buffer = std::make_unique<Buffer>();
  buffer->memory = memory_;
  buffer->bytes = shape.bytes();
  buffer->piece = {allocate_bytes(shape.bytes()), shape.rows};
  if (buffer->piece.address == nullptr) {
    trim();
    buffer->piece.address = allocate_bytes(shape.bytes());
  }
  if (buffer->piece.address == nullptr) return nullptr;
  bytes_ += shape.bytes();
  return buffer.release();
}

void* MemoryPool::allocate_bytes(std::size_t bytes) {
  if (device_ == nullptr) return ::operator new(bytes);
  if (bytes_ + bytes > limit_) return nullptr;
  return device_->allocate(std::max<std::size_t>(bytes, 1));
}

/// Gives up what is not in use.
void MemoryPool::trim() {
  for (const auto& [bytes, buffers] : free_) {
    for (const auto& buffer : buffers) {
      if (device_ == nullptr) {
        ::operator delete(buffer->piece.address);
      } else {
        device_->release(buffer->piece.address);
      }
      bytes_ -= bytes;
    }
  }
  free_.clear();
}

}  // namespace heddle::runtime
