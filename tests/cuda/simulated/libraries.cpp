// The part of cuBLAS and cuSOLVER that Heddle calls, over BLAS and LAPACK.

#include <cblas.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <lapacke.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tests/cuda/simulated/simulated.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
};
struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};

namespace {

using heddle::test::simulated::enqueue;

CBLAS_TRANSPOSE flag(cublasOperation_t op) {
  return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}
CBLAS_SIDE flag(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
CBLAS_UPLO flag(cublasFillMode_t triangle) {
  return triangle == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
CBLAS_DIAG flag(cublasDiagType_t diagonal) {
  return diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

constexpr int kScratch = 64;  ///< elements that factorizations ask for, and overwrite

/// Of a square matrix, without pivoting: 0, or the number of the first pivot that is zero, from 1.
template <class T>
int lu(int n, T* a, int lda) {
  int zero = 0;
  const auto at = [&](int i, int j) -> T& { return a[i + static_cast<std::ptrdiff_t>(j) * lda]; };
  for (int k = 0; k < n; ++k) {
    if (at(k, k) == 0 && zero == 0) zero = k + 1;
    for (int i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (int j = k + 1; j < n; ++j) {
      for (int i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
    }
  }
  return zero;
}

/// cuSOLVER goes on with what is no number, as other arithmetic does, and does not tell.
template <class T>
int untold_nan(int row, int n, T* a, int lda) {
  const auto at = [&](int i, int j) -> T& { return a[i + static_cast<std::ptrdiff_t>(j) * lda]; };
  if (row <= 0 || !std::isnan(at(row - 1, row - 1))) return row;
  for (int j = row - 1; j < n; ++j) {
    for (int i = j; i < n; ++i) at(i, j) = at(row - 1, row - 1);
  }
  return 0;
}

template <class T>
void spoil(T* work, int size) {
  for (int i = 0; i < size; ++i) work[i] = T(-1);
}

/// The 64-bit functions of cuSOLVER take either type of elements, and have their workspace asked for in bytes.
constexpr std::size_t kScratchBytes = kScratch;

/// call(typed), `typed` a pointer to such elements.
template <class Call>
cusolverStatus_t with_type(cudaDataType type, void* memory, Call&& call) {
  if (type == CUDA_R_64F) {
    call(static_cast<double*>(memory));
  } else if (type == CUDA_R_32F) {
    call(static_cast<float*>(memory));
  } else {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return CUSOLVER_STATUS_SUCCESS;
}

/// Whether there is as much as was asked for; on the device it is overwritten.
bool uses_workspace(cudaStream_t stream, void* on_device, std::size_t device_bytes, const void* on_host,
                    std::size_t host_bytes) {
  if (device_bytes != kScratchBytes || host_bytes != kScratchBytes || on_host == nullptr) return false;
  enqueue(stream, [=] { spoil(static_cast<char*>(on_device), kScratch); });
  return true;
}

int potrf(char triangle, int n, double* a, int lda) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, triangle, n, a, lda);
}
int potrf(char triangle, int n, float* a, int lda) {
  return LAPACKE_spotrf_work(LAPACK_COL_MAJOR, triangle, n, a, lda);
}
int geqrf(int m, int n, double* a, int lda, double* tau) {
  return LAPACKE_dgeqrf(LAPACK_COL_MAJOR, m, n, a, lda, tau);
}
int geqrf(int m, int n, float* a, int lda, float* tau) {
  return LAPACKE_sgeqrf(LAPACK_COL_MAJOR, m, n, a, lda, tau);
}

template <class T>
void sum(int m, int n, T alpha, const T* a, int lda, T beta, const T* b, int ldb, T* c, int ldc) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      const std::ptrdiff_t column = j;
      c[i + column * ldc] = alpha * a[i + column * lda] + beta * b[i + column * ldb];
    }
  }
}

}  // namespace

// As in CUDA, numbers in the host's memory are read before the call returns.
#define SIMULATED_ROUTINES(L, l, T)                                                                                    \
  cublasStatus_t cublas##L##gemm_v2(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,      \
                                    int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb,            \
                                    const T* beta, T* c, int ldc) {                                                    \
    enqueue(handle->stream, [=, alpha = *alpha, beta = *beta] {                                                        \
      cblas_##l##gemm(CblasColMajor, flag(op_a), flag(op_b), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);            \
    });                                                                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,  \
                                               int m, int n, int k, const T* alpha, const T* a, int lda,               \
                                               long long step_a, const T* b, int ldb, long long step_b, const T* beta, \
                                               T* c, int ldc, long long step_c, int count) {                           \
    enqueue(handle->stream, [=, alpha = *alpha, beta = *beta] {                                                        \
      for (int i = 0; i < count; ++i) {                                                                                \
        cblas_##l##gemm(CblasColMajor, flag(op_a), flag(op_b), m, n, k, alpha, a + i * step_a, lda, b + i * step_b,    \
                        ldb, beta, c + i * step_c, ldc);                                                               \
      }                                                                                                                \
    });                                                                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##L##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,       \
                                        cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha, \
                                        const T* const* a, int lda, T* const* b, int ldb, int count) {                 \
    enqueue(handle->stream, [=, alpha = *alpha] {                                                                      \
      for (int i = 0; i < count; ++i) {                                                                                \
        cblas_##l##trsm(CblasColMajor, flag(side), flag(triangle), flag(op), flag(diagonal), m, n, alpha, a[i], lda,   \
                        b[i], ldb);                                                                                    \
      }                                                                                                                \
    });                                                                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##L##syrk_v2(cublasHandle_t handle, cublasFillMode_t triangle, cublasOperation_t op, int n,     \
                                    int k, const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc) {        \
    enqueue(handle->stream, [=, alpha = *alpha, beta = *beta] {                                                        \
      cblas_##l##syrk(CblasColMajor, flag(triangle), flag(op), n, k, alpha, a, lda, beta, c, ldc);                     \
    });                                                                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##L##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,           \
                                    cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha,     \
                                    const T* a, int lda, T* b, int ldb) {                                              \
    enqueue(handle->stream, [=, alpha = *alpha] {                                                                      \
      cblas_##l##trsm(CblasColMajor, flag(side), flag(triangle), flag(op), flag(diagonal), m, n, alpha, a, lda, b,     \
                      ldb);                                                                                            \
    });                                                                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##L##trmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,           \
                                    cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha,     \
                                    const T* a, int lda, const T* b, int ldb, T* c, int ldc) {                         \
    if (b == c && ldb != ldc) return CUBLAS_STATUS_INVALID_VALUE;                                                      \
    enqueue(handle->stream, [=, alpha = *alpha] {                                                                      \
      if (b != c) sum(m, n, T(1), b, ldb, T(0), c, ldc, c, ldc);                                                       \
      cblas_##l##trmm(CblasColMajor, flag(side), flag(triangle), flag(op), flag(diagonal), m, n, alpha, a, lda, c,     \
                      ldc);                                                                                            \
    });                                                                                                                \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##L##geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,  \
                                 const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,        \
                                 int ldc) {                                                                            \
    if (op_a != CUBLAS_OP_N || op_b != CUBLAS_OP_N || (b == c && ldb != ldc)) return CUBLAS_STATUS_INVALID_VALUE;      \
    enqueue(handle->stream, [=, alpha = *alpha, beta = *beta] { sum(m, n, alpha, a, lda, beta, b, ldb, c, ldc); });    \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t /*handle*/, cublasFillMode_t /*triangle*/,       \
                                                   int /*n*/, T* /*a*/, int /*lda*/, int* size) {                      \
    *size = kScratch;                                                                                                  \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t handle, cublasFillMode_t triangle, int n, T* a, int lda,    \
                                        T* work, int size, int* info) {                                                \
    enqueue(handle->stream, [=] {                                                                                      \
      spoil(work, size);                                                                                               \
      *info = untold_nan(                                                                                              \
          LAPACKE_##l##potrf_work(LAPACK_COL_MAJOR, triangle == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U', n, a, lda), n, a,  \
          lda);                                                                                                        \
    });                                                                                                                \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t /*handle*/, int /*m*/, int /*n*/, T* /*a*/,      \
                                                   int /*lda*/, int* size) {                                           \
    *size = kScratch;                                                                                                  \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots,  \
                                        int* info) {                                                                   \
    if (m != n || pivots != nullptr) return CUSOLVER_STATUS_NOT_SUPPORTED;                                             \
    enqueue(handle->stream, [=] {                                                                                      \
      spoil(work, kScratch);                                                                                           \
      *info = lu(n, a, lda);                                                                                           \
    });                                                                                                                \
    return CUSOLVER_STATUS_SUCCESS;                                                                                    \
  }

extern "C" {

SIMULATED_ROUTINES(D, d, double)
SIMULATED_ROUTINES(S, s, float)

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t /*status*/) {
  return "simulated";
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  *params = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t /*handle*/, cusolverDnParams_t /*params*/,
                                             cublasFillMode_t /*triangle*/, std::int64_t /*n*/, cudaDataType /*type*/,
                                             const void* /*a*/, std::int64_t /*lda*/, cudaDataType /*compute*/,
                                             std::size_t* on_device, std::size_t* on_host) {
  *on_device = *on_host = kScratchBytes;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t /*params*/, cublasFillMode_t triangle,
                                  std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
                                  cudaDataType /*compute*/, void* on_device, std::size_t device_bytes, void* on_host,
                                  std::size_t host_bytes, int* info) {
  if (!uses_workspace(handle->stream, on_device, device_bytes, on_host, host_bytes)) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return with_type(type, a, [=](auto* typed) {
    enqueue(handle->stream, [=] {
      *info = potrf(triangle == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U', static_cast<int>(n), typed, static_cast<int>(lda));
    });
  });
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t /*handle*/, cusolverDnParams_t /*params*/,
                                             std::int64_t /*m*/, std::int64_t /*n*/, cudaDataType /*type*/,
                                             const void* /*a*/, std::int64_t /*lda*/, cudaDataType /*compute*/,
                                             std::size_t* on_device, std::size_t* on_host) {
  *on_device = *on_host = kScratchBytes;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t /*params*/, std::int64_t m,
                                  std::int64_t n, cudaDataType type, void* a, std::int64_t lda, std::int64_t* pivots,
                                  cudaDataType /*compute*/, void* on_device, std::size_t device_bytes, void* on_host,
                                  std::size_t host_bytes, int* info) {
  if (m != n || pivots != nullptr) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (!uses_workspace(handle->stream, on_device, device_bytes, on_host, host_bytes)) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return with_type(type, a, [=](auto* typed) {
    enqueue(handle->stream, [=] { *info = lu(static_cast<int>(n), typed, static_cast<int>(lda)); });
  });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t /*handle*/, cusolverDnParams_t /*params*/,
                                             std::int64_t /*m*/, std::int64_t /*n*/, cudaDataType /*type*/,
                                             const void* /*a*/, std::int64_t /*lda*/, cudaDataType /*tau_type*/,
                                             const void* /*tau*/, cudaDataType /*compute*/, std::size_t* on_device,
                                             std::size_t* on_host) {
  *on_device = *on_host = kScratchBytes;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t /*params*/, std::int64_t m,
                                  std::int64_t n, cudaDataType type, void* a, std::int64_t lda, cudaDataType tau_type,
                                  void* tau, cudaDataType /*compute*/, void* on_device, std::size_t device_bytes,
                                  void* on_host, std::size_t host_bytes, int* info) {
  if (type != tau_type || !uses_workspace(handle->stream, on_device, device_bytes, on_host, host_bytes)) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return with_type(type, a, [=]<class T>(T* typed) {
    enqueue(handle->stream, [=] {
      *info = geqrf(static_cast<int>(m), static_cast<int>(n), typed, static_cast<int>(lda), static_cast<T*>(tau));
    });
  });
}

}  // extern "C"
