#pragma once

#include <algorithm>
#include <cstddef>

#include "heddle/linalg/blas.hpp"

/// What geqrt and tsqrt have made, applied by products of matrices, for processors that have BLAS and no LAPACK. `Blas`
/// has gemm and trmm as namespace blas does, and add(alpha, X, Y): Y := alpha X + Y.
///
/// A block of reflectors is I - V T V^T with T upper triangular (R. Schreiber, C. Van Loan, "A storage-efficient WY
/// representation for products of Householder transformations", SIAM J. Sci. Stat. Comput. 10(1), 1989,
/// doi:10.1137/0910005). Q is their product in the order of the columns.
namespace heddle::linalg {

using runtime::Matrix;

/// Calls apply(first, size) for each block of columns, in the order in which op(Q) meets what it is applied to.
template <class Apply>
void for_each_block(blas::Op op, std::size_t columns, std::size_t block, Apply&& apply) {
  const std::size_t blocks = (columns + block - 1) / block;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t first = (op == blas::Op::transposed ? i : blocks - 1 - i) * block;
    apply(first, std::min(block, columns - first));
  }
}

/// C := op(Q) C, where V, with its ones and zeros, and T come from the kernel geqrt. `work`: t.rows x c.columns.
template <class T, class Blas>
void apply_reflectors(Blas& blas, blas::Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> c, Matrix<T> work) {
  for_each_block(op, v.columns, t.rows, [&](std::size_t first, std::size_t size) {
    const Matrix<const T> block = v.block(first, first, v.rows - first, size);
    const Matrix<T> below = c.block(first, 0, c.rows - first, c.columns);
    const Matrix<T> w = work.block(0, 0, size, c.columns);
    blas.gemm(blas::Op::transposed, blas::Op::plain, T(1), block, Matrix<const T>(below), T(0), w);
    blas.trmm({blas::Side::left, blas::Triangle::upper, op, blas::Diagonal::stored}, t.block(0, first, size, size), w);
    blas.gemm(blas::Op::plain, blas::Op::plain, T(-1), block, Matrix<const T>(w), T(1), below);
  });
}

/// op(Q) applied to A above B, where V and T come from the kernel tsqrt. `work`: t.rows x b.columns.
template <class T, class Blas>
void apply_reflectors(Blas& blas, blas::Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> a, Matrix<T> b,
                      Matrix<T> work) {
  for_each_block(op, v.columns, t.rows, [&](std::size_t first, std::size_t size) {
    const Matrix<const T> block = v.block(0, first, v.rows, size);
    const Matrix<T> top = a.block(first, 0, size, a.columns);
    const Matrix<T> w = work.block(0, 0, size, b.columns);
    blas.gemm(blas::Op::transposed, blas::Op::plain, T(1), block, Matrix<const T>(b), T(0), w);
    blas.add(T(1), Matrix<const T>(top), w);
    blas.trmm({blas::Side::left, blas::Triangle::upper, op, blas::Diagonal::stored}, t.block(0, first, size, size), w);
    blas.add(T(-1), Matrix<const T>(w), top);
    blas.gemm(blas::Op::plain, blas::Op::plain, T(-1), block, Matrix<const T>(w), T(1), b);
  });
}

}  // namespace heddle::linalg
