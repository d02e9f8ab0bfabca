#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "heddle/linalg/blas.hpp"
#include "heddle/runtime/kernel.hpp"

/// The kernels of the tiled algorithms, named as in traces and platform files (workload::to_string). On a worker that
/// is a group of cores, those that only update divide their tile among the cores; those that factorize use one.
///
/// On OpenCL devices that can run functions of the program, as CPUs can, all run as on a core. On others, those that
/// only update run in OpenCL C; not those that factorize, which could not tell of a breakdown from there and suit CPUs,
/// and not laswp, whose tiles a kernel in OpenCL C has no parameters for.
///
/// On CUDA devices all run on cuBLAS and cuSOLVER, but for those that have no equivalent there: geqrt, tsqrt and, of LU
/// with partial pivoting, getrf_pivoted and laswp.
namespace heddle::linalg {

using runtime::Matrix;

/// C := alpha op(A) op(B) + beta C
template <class T>
struct Product {
  blas::Op op_a;
  blas::Op op_b;
  T alpha;
  T beta;
};

/// QR works in blocks of so many columns; the factor T of a tile with `columns` columns has so many rows.
[[nodiscard]] constexpr std::size_t inner_block(std::size_t columns) {
  constexpr std::size_t kColumns = 32;
  return std::min(columns, kColumns);
}

/// One object per kernel, so that all tasks share what was measured of it. `first_row`: of the matrix, where the tile
/// begins, to name the row that is wrong.
template <class T>
struct Kernels {
  /// The only ones.
  [[nodiscard]] static const Kernels& get();

  runtime::Kernel<std::size_t, Matrix<T>> potrf;                                  ///< (first_row, A)
  runtime::Kernel<std::size_t, Matrix<T>> getrf;                                  ///< (first_row, A): without pivoting
  runtime::Kernel<Matrix<const T>, Matrix<T>> syrk;                               ///< (A, C): C -= A A^T
  runtime::Kernel<Product<T>, Matrix<const T>, Matrix<const T>, Matrix<T>> gemm;  ///< (form, A, B, C)
  runtime::Kernel<blas::Triangular, Matrix<const T>, Matrix<T>> trsm;             ///< (form, A, B)
  runtime::Kernel<blas::Triangular, Matrix<const T>, Matrix<T>> trsm_u;           ///< LU, below the diagonal
  runtime::Kernel<blas::Triangular, Matrix<const T>, Matrix<T>> trsm_l;           ///< LU, right of the diagonal
  runtime::Kernel<Matrix<T>, Matrix<T>, Matrix<T>> geqrt;                         ///< (A, V, T): R stays in A
  runtime::Kernel<blas::Op, Matrix<const T>, Matrix<const T>, Matrix<T>> ormqr;   ///< (op, V, T, C): C := op(Q) C
  runtime::Kernel<Matrix<T>, Matrix<T>, Matrix<T>> tsqrt;  ///< (R, A, T): of R above A; V takes the place of A
  /// (op, V, T, A, B): op(Q) applied to A above B
  runtime::Kernel<blas::Op, Matrix<const T>, Matrix<const T>, Matrix<T>, Matrix<T>> tsmqr;
  /// (first_row, pivots), also a tile column from the diagonal down: with partial pivoting. Pivots count from
  /// first_row.
  runtime::Kernel<std::size_t, std::span<blas::Pivot>> getrf_pivoted;
  runtime::Kernel<std::span<const blas::Pivot>> laswp;  ///< (pivots), also tiles below each other: exchanges their rows

 private:
  Kernels();
};

}  // namespace heddle::linalg
