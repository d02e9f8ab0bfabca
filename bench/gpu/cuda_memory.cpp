#include "cuda_memory.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace heddle::bench {

void check(const char* call, cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

DeviceMemory device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check("cudaMalloc", cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)));
  return DeviceMemory(memory);
}

PinnedMemory pin(void* memory, std::size_t bytes) {
  check("cudaHostRegister", cudaHostRegister(memory, bytes, cudaHostRegisterPortable));
  return PinnedMemory(memory);
}

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check("cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

}  // namespace heddle::bench
