#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cstddef>

#include "heddle/linalg/blas.hpp"

/// How cuBLAS and cuSOLVER call what namespace blas names.
namespace heddle::linalg::cuda {

/// The names of the routines for one type of elements.
template <class T>
struct Routines;

template <>
struct Routines<double> {
  static constexpr auto kGemm = cublasDgemm;
  static constexpr auto kGemmBatched = cublasDgemmStridedBatched;
  static constexpr auto kSyrk = cublasDsyrk;
  static constexpr auto kTrsm = cublasDtrsm;
  static constexpr auto kTrsmBatched = cublasDtrsmBatched;
  static constexpr auto kTrmm = cublasDtrmm;
  static constexpr auto kGeam = cublasDgeam;
  static constexpr auto kPotrfSize = cusolverDnDpotrf_bufferSize;
  static constexpr auto kPotrf = cusolverDnDpotrf;
  static constexpr auto kGetrfSize = cusolverDnDgetrf_bufferSize;
  static constexpr auto kGetrf = cusolverDnDgetrf;
};

template <>
struct Routines<float> {
  static constexpr auto kGemm = cublasSgemm;
  static constexpr auto kGemmBatched = cublasSgemmStridedBatched;
  static constexpr auto kSyrk = cublasSsyrk;
  static constexpr auto kTrsm = cublasStrsm;
  static constexpr auto kTrsmBatched = cublasStrsmBatched;
  static constexpr auto kTrmm = cublasStrmm;
  static constexpr auto kGeam = cublasSgeam;
  static constexpr auto kPotrfSize = cusolverDnSpotrf_bufferSize;
  static constexpr auto kPotrf = cusolverDnSpotrf;
  static constexpr auto kGetrfSize = cusolverDnSgetrf_bufferSize;
  static constexpr auto kGetrf = cusolverDnSgetrf;
};

constexpr int number(std::size_t value) {
  return static_cast<int>(value);
}

/// The step from one column to the next, as BLAS wants it even for matrices without rows.
template <class T>
constexpr int leading(const runtime::Matrix<T>& a) {
  return number(a.leading > 0 ? a.leading : 1);
}

constexpr cublasOperation_t flag(blas::Op op) {
  return op == blas::Op::plain ? CUBLAS_OP_N : CUBLAS_OP_T;
}
constexpr cublasSideMode_t flag(blas::Side side) {
  return side == blas::Side::left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
constexpr cublasFillMode_t flag(blas::Triangle triangle) {
  return triangle == blas::Triangle::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
constexpr cublasDiagType_t flag(blas::Diagonal diagonal) {
  return diagonal == blas::Diagonal::stored ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
}

}  // namespace heddle::linalg::cuda
