#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <cstddef>
#include <memory>

#include "heddle/runtime/job.hpp"

namespace heddle::linalg::cuda {

// These throw std::runtime_error when `status`, which `routine` returned, is not that of success.
void check(const char* routine, cudaError_t status);
void check(const char* routine, cublasStatus_t status);
void check(const char* routine, cusolverStatus_t status);

/// What one thread needs to call cuBLAS and cuSOLVER on one stream, made once: it takes long to make.
class Workplace {
 public:
  /// Of this thread for the stream of the job.
  [[nodiscard]] static Workplace& of(const runtime::Job& job);

  [[nodiscard]] cublasHandle_t blas() const { return blas_.get(); }
  [[nodiscard]] cusolverDnHandle_t solver() const { return solver_.get(); }

  /// Memory of the device for what is asked for next on the stream, until this is called again.
  template <class T>
  [[nodiscard]] T* scratch(std::size_t count) {
    return static_cast<T*>(scratch_bytes(count * sizeof(T)));
  }

  /// Where a factorization on the device writes what it found (`devInfo`).
  [[nodiscard]] int* info() const { return info_.get(); }
  /// What it wrote; waits for it.
  [[nodiscard]] int read_info() const;
  /// Copies elements that lie `stride` elements apart on the device, after what was asked for; waits for them.
  template <class T>
  void read(T* to, const T* from, std::size_t count, std::size_t stride) const {
    read_bytes(to, from, sizeof(T), count, stride * sizeof(T));
  }

 private:
  template <auto Destroy>
  struct With {
    template <class Handle>
    void operator()(Handle* handle) const {
      static_cast<void>(Destroy(handle));
    }
  };
  template <class Handle, auto Destroy>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, With<Destroy>>;

  explicit Workplace(cudaStream_t stream);
  [[nodiscard]] void* scratch_bytes(std::size_t bytes);
  void read_bytes(void* to, const void* from, std::size_t bytes, std::size_t count, std::size_t stride) const;

  cudaStream_t stream_;
  Owned<cublasHandle_t, cublasDestroy> blas_;
  Owned<cusolverDnHandle_t, cusolverDnDestroy> solver_;
  Owned<int*, cudaFree> info_;
  std::unique_ptr<void, With<cudaFree>> scratch_;
  std::size_t scratch_size_ = 0;
};

}  // namespace heddle::linalg::cuda
