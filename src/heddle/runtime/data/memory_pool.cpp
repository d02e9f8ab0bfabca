#include "heddle/runtime/data/memory_pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace heddle::runtime {

MemoryPool::MemoryPool(MemoryPool&& other) noexcept
    : memory_(other.memory_),
      device_(other.device_),
      limit_(other.limit_),
      bytes_(std::exchange(other.bytes_, 0)),
      all_(std::exchange(other.all_, {})),
      free_(std::exchange(other.free_, {})) {}

MemoryPool::~MemoryPool() {
  for (const auto& buffer : all_) release_bytes(*buffer);
}

Buffer* MemoryPool::allocate(const Shape& shape) {
  auto buffer = std::make_unique<Buffer>();
  buffer->memory = memory_;
  buffer->hold(shape);
  void*& address = buffer->argument.piece.address;
  address = allocate_bytes(shape.bytes());
  if (address == nullptr) {
    trim();
    address = allocate_bytes(shape.bytes());
  }
  if (address == nullptr && device_ == nullptr) throw std::bad_alloc();
  if (address == nullptr) return nullptr;
  bytes_ += shape.bytes();
  return all_.emplace_back(std::move(buffer)).get();
}

void* MemoryPool::allocate_bytes(std::size_t bytes) {
  if (device_ == nullptr) return ::operator new(bytes, std::align_val_t(kMostAligned), std::nothrow);
  if (bytes_ + bytes > limit_) return nullptr;
  return device_->allocate(std::max<std::size_t>(bytes, 1));
}

void MemoryPool::release_bytes(Buffer& buffer) {
  void*& address = buffer.argument.piece.address;
  if (device_ == nullptr) {
    ::operator delete(address, std::align_val_t(kMostAligned));
  } else {
    device_->release(address);
  }
  address = nullptr;
  bytes_ -= buffer.bytes();
}

/// Gives up what is not in use.
void MemoryPool::trim() {
  for (const auto& [bytes, buffers] : free_) {
    for (Buffer* buffer : buffers) release_bytes(*buffer);
  }
  free_.clear();
  std::erase_if(all_, [](const auto& buffer) { return buffer->argument.piece.address == nullptr; });
}

}  // namespace heddle::runtime
