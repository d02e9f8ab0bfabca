#include "cusolver.hpp"

#include <cusolverDn.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda_memory.hpp"

namespace heddle::bench {
namespace {

using linalg::DenseMatrix;
using runtime::Matrix;

void check(const char* call, cusolverStatus_t status) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " failed with status " + std::to_string(static_cast<int>(status)));
}
using bench::check;  // for errors of CUDA

/// cuSOLVER's 64-bit functions on a square matrix: those with int fail where n * n does not fit into one.
template <class T>
class Factorization {
 public:
  Factorization(Algorithm algorithm, std::size_t order, cudaStream_t stream)
      : algorithm_(algorithm),
        n_(static_cast<std::int64_t>(order)),
        stream_(stream),
        matrix_(device_memory(order * order * sizeof(T))),
        tau_(device_memory(order * sizeof(T))),
        info_(device_memory(sizeof(int))) {
    check("cusolverDnCreate", cusolverDnCreate(&handle_));
    check("cusolverDnSetStream", cusolverDnSetStream(handle_, stream));
    check("cusolverDnCreateParams", cusolverDnCreateParams(&params_));
    std::size_t device_bytes = 0;
    std::size_t host_bytes = 0;
    check("size of the workspace", ask_workspace(device_bytes, host_bytes));
    device_work_bytes_ = device_bytes;
    device_work_ = device_memory(device_bytes);
    host_work_.resize(host_bytes);
  }
  ~Factorization() {
    static_cast<void>(cusolverDnDestroyParams(params_));
    static_cast<void>(cusolverDnDestroy(handle_));
  }
  Factorization(const Factorization&) = delete;
  Factorization& operator=(const Factorization&) = delete;

  void copy_in(Matrix<T> host) {
    copy(host, [&](T* in_host, T* on_device, std::size_t rows, std::size_t columns) {
      copy_part(on_device, in_host, rows, columns, cudaMemcpyHostToDevice);
    });
  }
  void copy_out(Matrix<T> host) {
    copy(host, [&](T* in_host, T* on_device, std::size_t rows, std::size_t columns) {
      copy_part(in_host, on_device, rows, columns, cudaMemcpyDeviceToHost);
    });
  }
  void factorize() { check("the factorization by cuSOLVER", start()); }
  void wait() { check("cudaStreamSynchronize", cudaStreamSynchronize(stream_)); }
  /// That the last one succeeded.
  void check_result() {
    int info = 0;
    check("cudaMemcpyAsync", cudaMemcpyAsync(&info, info_.get(), sizeof(info), cudaMemcpyDeviceToHost, stream_));
    wait();
    if (info != 0) throw std::runtime_error("cuSOLVER's factorization tells " + std::to_string(info));
  }

 private:
  static constexpr cudaDataType kType = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;

  [[nodiscard]] cusolverStatus_t ask_workspace(std::size_t& on_device, std::size_t& on_host) {
    void* a = matrix_.get();
    switch (algorithm_) {
      case Algorithm::cholesky:
        return cusolverDnXpotrf_bufferSize(handle_, params_, CUBLAS_FILL_MODE_LOWER, n_, kType, a, n_, kType,
                                           &on_device, &on_host);
      case Algorithm::lu:
        return cusolverDnXgetrf_bufferSize(handle_, params_, n_, n_, kType, a, n_, kType, &on_device, &on_host);
      default:
        return cusolverDnXgeqrf_bufferSize(handle_, params_, n_, n_, kType, a, n_, kType, tau_.get(), kType, &on_device,
                                           &on_host);
    }
  }
  [[nodiscard]] cusolverStatus_t start() {
    void* a = matrix_.get();
    auto* info = static_cast<int*>(info_.get());
    switch (algorithm_) {
      case Algorithm::cholesky:
        return cusolverDnXpotrf(handle_, params_, CUBLAS_FILL_MODE_LOWER, n_, kType, a, n_, kType, device_work_.get(),
                                device_work_bytes_, host_work_.data(), host_work_.size(), info);
      case Algorithm::lu:
        return cusolverDnXgetrf(handle_, params_, n_, n_, kType, a, n_, nullptr, kType, device_work_.get(),
                                device_work_bytes_, host_work_.data(), host_work_.size(), info);
      default:
        return cusolverDnXgeqrf(handle_, params_, n_, n_, kType, a, n_, kType, tau_.get(), kType, device_work_.get(),
                                device_work_bytes_, host_work_.data(), host_work_.size(), info);
    }
  }

  /// copy(in the host, on the device, rows, columns) for the parts of the matrix that matter.
  template <class CopyPart>
  void copy(const Matrix<T>& host, CopyPart&& copy) {
    const auto n = static_cast<std::size_t>(n_);
    constexpr std::size_t kBlock = 1024;
    const std::size_t step = algorithm_ == Algorithm::cholesky ? std::min(kBlock, n) : n;
    for (std::size_t first = 0; first < n; first += step) {
      const std::size_t above = algorithm_ == Algorithm::cholesky ? first : 0;
      copy(&host(above, first), static_cast<T*>(matrix_.get()) + above + first * n, n - above,
           std::min(step, n - first));
    }
  }
  void copy_part(T* to, const T* from, std::size_t rows, std::size_t columns, cudaMemcpyKind kind) {
    const std::size_t pitch = static_cast<std::size_t>(n_) * sizeof(T);
    check("cudaMemcpy2DAsync", cudaMemcpy2DAsync(to, pitch, from, pitch, rows * sizeof(T), columns, kind, stream_));
  }

  Algorithm algorithm_;
  std::int64_t n_;
  cudaStream_t stream_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  DeviceMemory matrix_;
  DeviceMemory tau_;
  DeviceMemory info_;
  DeviceMemory device_work_;
  std::size_t device_work_bytes_ = 0;
  std::vector<std::byte> host_work_;
};

}  // namespace

template <class T>
double cusolver_seconds(Algorithm algorithm, Residence residence, const DenseMatrix<T>& a, int repetitions) {
  const std::size_t order = a.view().rows;
  DenseMatrix<T> host = a;
  const PinnedMemory pinned = pin(host.view().data, order * order * sizeof(T));
  const Stream stream = make_stream();
  Factorization<T> factorization(algorithm, order, stream.get());
  const bool copies = residence == Residence::host;
  const auto prepare = [&] {
    std::copy_n(a.view().data, order * order, host.view().data);
    if (copies) return;
    factorization.copy_in(host.view());
    factorization.wait();
  };
  const auto call = [&] {
    if (copies) factorization.copy_in(host.view());
    factorization.factorize();
    if (copies) factorization.copy_out(host.view());
    factorization.wait();
  };
  const double seconds = shortest_seconds(repetitions, prepare, call);
  factorization.check_result();
  return seconds;
}

template double cusolver_seconds(Algorithm, Residence, const DenseMatrix<double>&, int);
template double cusolver_seconds(Algorithm, Residence, const DenseMatrix<float>&, int);

}  // namespace heddle::bench
