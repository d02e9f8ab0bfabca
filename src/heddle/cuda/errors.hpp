#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace heddle::cuda {

/// "cudaMalloc failed: out of memory (cudaErrorMemoryAllocation)"; what CUDA remembers of it is forgotten.
[[nodiscard]] std::string describe(const char* call, cudaError_t error);

/// Throws std::runtime_error when `error`, which `call` returned, is one.
void check(const char* call, cudaError_t error);

}  // namespace heddle::cuda
