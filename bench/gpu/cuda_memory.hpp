#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace heddle::bench {

/// Throws std::runtime_error when `error`, which `call` returned, is one.
void check(const char* call, cudaError_t error);

struct FreeDeviceMemory {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
using DeviceMemory = std::unique_ptr<void, FreeDeviceMemory>;
/// At least one byte of the current device.
[[nodiscard]] DeviceMemory device_memory(std::size_t bytes);

struct UnregisterHostMemory {
  void operator()(void* memory) const { static_cast<void>(cudaHostUnregister(memory)); }
};
/// Memory of the program that is pinned until this is destroyed.
using PinnedMemory = std::unique_ptr<void, UnregisterHostMemory>;
[[nodiscard]] PinnedMemory pin(void* memory, std::size_t bytes);

struct DestroyStream {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
[[nodiscard]] Stream make_stream();

}  // namespace heddle::bench
