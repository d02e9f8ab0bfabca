#include "heddle/cuda/errors.hpp"

#include <stdexcept>

namespace heddle::cuda {

std::string describe(const char* call, cudaError_t error) {
  static_cast<void>(cudaGetLastError());
  return std::string(call) + " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
}

void check(const char* call, cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error("CUDA: " + describe(call, error));
}

}  // namespace heddle::cuda
