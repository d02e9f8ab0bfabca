#include "heddle/linalg/cuda/workplace.hpp"

#include <map>
#include <stdexcept>
#include <string>

namespace heddle::linalg::cuda {
namespace {

[[noreturn]] void fail(const char* routine, const std::string& reason) {
  throw std::runtime_error(std::string("CUDA: ") + routine + " failed: " + reason);
}

template <class Handle, class Create>
Handle make(const char* routine, Create&& create) {
  Handle handle = nullptr;
  check(routine, create(&handle));
  return handle;
}

}  // namespace

void check(const char* routine, cudaError_t status) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  fail(routine, cudaGetErrorString(status));
}

void check(const char* routine, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(routine, cublasGetStatusString(status));
}

void check(const char* routine, cusolverStatus_t status) {
  if (status != CUSOLVER_STATUS_SUCCESS) fail(routine, "status " + std::to_string(static_cast<int>(status)));
}

DeviceMemory allocate(std::size_t bytes) {
  return DeviceMemory(make<void*>("cudaMalloc", [&](void** memory) { return cudaMalloc(memory, bytes); }));
}

Workplace& Workplace::of(const runtime::Job& job) {
  thread_local std::map<void*, Workplace> of_streams;
  const auto found = of_streams.find(job.queue());
  if (found != of_streams.end()) return found->second;
  return of_streams.emplace(job.queue(), Workplace(static_cast<cudaStream_t>(job.queue()))).first->second;
}

Workplace::Workplace(cudaStream_t stream)
    : stream_(stream),
      blas_(make<cublasHandle_t>("cublasCreate", cublasCreate)),
      solver_(make<cusolverDnHandle_t>("cusolverDnCreate", cusolverDnCreate)),
      info_(allocate(sizeof(int))) {
  check("cublasSetStream", cublasSetStream(blas(), stream));
  check("cusolverDnSetStream", cusolverDnSetStream(solver(), stream));
}

int Workplace::read_info() const {
  int found = 0;
  read(&found, info(), 1, 1);
  return found;
}

void Workplace::read_bytes(void* to, const void* from, std::size_t bytes, std::size_t count, std::size_t stride) const {
  check("cudaMemcpy2DAsync", cudaMemcpy2DAsync(to, bytes, from, stride, bytes, count, cudaMemcpyDeviceToHost, stream_));
  wait();
}

void Workplace::write_bytes(void* to, const void* from, std::size_t bytes) const {
  check("cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
  wait();
}

void Workplace::copy_bytes(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                           std::size_t columns) const {
  check("cudaMemcpy2DAsync",
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, columns, cudaMemcpyDeviceToDevice, stream_));
}

void Workplace::wait() const {
  check("cudaStreamSynchronize", cudaStreamSynchronize(stream_));
}

void* Workplace::scratch_bytes(std::size_t bytes) {
  if (scratch_size_ < bytes) {
    // What uses the old memory may be under way.
    wait();
    scratch_.reset();
    scratch_size_ = 0;
    scratch_ = allocate(bytes);
    scratch_size_ = bytes;
  }
  return scratch_.get();
}

}  // namespace heddle::linalg::cuda
