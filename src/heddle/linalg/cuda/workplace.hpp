#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <cstddef>
#include <map>
#include <memory>
#include <typeindex>

#include "heddle/runtime/job.hpp"

namespace heddle::linalg::cuda {

// These throw std::runtime_error when `status`, which `routine` returned, is not that of success.
void check(const char* routine, cudaError_t status);
void check(const char* routine, cublasStatus_t status);
void check(const char* routine, cusolverStatus_t status);

/// Deletes by a function of CUDA.
template <auto Destroy>
struct With {
  template <class Handle>
  void operator()(Handle* handle) const {
    static_cast<void>(Destroy(handle));
  }
};
/// Memory of the current device.
using DeviceMemory = std::unique_ptr<void, With<cudaFree>>;
/// Throws std::runtime_error when there is not as much.
[[nodiscard]] DeviceMemory allocate(std::size_t bytes);

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

  /// What is kept for later calls on the stream, made when it is first asked for: a `Kept` made of this.
  template <class Kept>
  [[nodiscard]] Kept& kept() {
    std::shared_ptr<void>& one = kept_[typeid(Kept)];
    if (!one) one = std::make_shared<Kept>(*this);
    return *static_cast<Kept*>(one.get());
  }

  /// Asks for a copy of elements on the device.
  template <class T>
  void copy(runtime::Matrix<const T> from, runtime::Matrix<T> to) const {
    copy_bytes(to.data, to.leading * sizeof(T), from.data, from.leading * sizeof(T), from.rows * sizeof(T),
               from.columns);
  }
  /// Copies elements of the program's memory to the device; waits for that.
  template <class T>
  void write(T* to, const T* from, std::size_t count) const {
    write_bytes(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
  }
  /// Waits for all that was asked for.
  void wait() const;

  /// Where a factorization on the device writes what it found (`devInfo`).
  [[nodiscard]] int* info() const { return static_cast<int*>(info_.get()); }
  /// What it wrote; waits for it.
  [[nodiscard]] int read_info() const;
  /// Copies elements that lie `stride` elements apart on the device, after what was asked for; waits for them.
  template <class T>
  void read(T* to, const T* from, std::size_t count, std::size_t stride) const {
    read_bytes(to, from, sizeof(T), count, stride * sizeof(T));
  }

 private:
  template <class Handle, auto Destroy>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, With<Destroy>>;

  explicit Workplace(cudaStream_t stream);
  [[nodiscard]] void* scratch_bytes(std::size_t bytes);
  void copy_bytes(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                  std::size_t columns) const;
  void write_bytes(void* to, const void* from, std::size_t bytes) const;
  void read_bytes(void* to, const void* from, std::size_t bytes, std::size_t count, std::size_t stride) const;

  cudaStream_t stream_;
  Owned<cublasHandle_t, cublasDestroy> blas_;
  Owned<cusolverDnHandle_t, cusolverDnDestroy> solver_;
  DeviceMemory info_;
  DeviceMemory scratch_;
  std::size_t scratch_size_ = 0;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
};

}  // namespace heddle::linalg::cuda
