#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heddle/runtime/views.hpp"

/// BLAS and LAPACK on views, for T = double and float: the names are theirs without the letter of the type. Calls are
/// single-threaded and allocate nothing: who wants several cores makes several calls.
namespace heddle::linalg::blas {

using runtime::Matrix;

enum class Side : std::uint8_t { left, right };
enum class Triangle : std::uint8_t { lower, upper };
enum class Op : std::uint8_t { plain, transposed };
enum class Diagonal : std::uint8_t { stored, unit };

/// Row exchanges as LAPACK writes them: row i was exchanged with row pivots[i] - 1, in this order.
using Pivot = std::int32_t;

/// OpenBLAS divides calls among threads of its own unless told not to, once per process.
void use_one_thread();

/// OpenBLAS takes 128 MiB of address space for each thread that is inside a call, keeps it for the next calls, and asks
/// for it for ever where there is none. Throws InputError when the process cannot have that much for `threads` threads,
/// and `more` bytes.
void check_workspace(std::size_t threads, std::size_t more);

/// C := alpha op(A) op(B) + beta C
template <class T>
void gemm(Op op_a, Op op_b, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c);

/// C := C - A A^T on the lower triangle.
template <class T>
void syrk(Matrix<const T> a, Matrix<T> c);

/// A triangular matrix as it stands in a product or a system: X or B is to the `side` of its inverse.
struct Triangular {
  Side side;
  Triangle triangle;
  Op op;
  Diagonal diagonal;
};
/// B := op(A)^-1 B, or B op(A)^-1
template <class T>
void trsm(const Triangular& form, Matrix<const T> a, Matrix<T> b);
/// B := op(A) B, or B op(A)
template <class T>
void trmm(const Triangular& form, Matrix<const T> a, Matrix<T> b);

/// A = L L^T on the lower triangle. 0, or the row, counted from 1, where A is not positive definite.
template <class T>
[[nodiscard]] std::size_t potrf(Matrix<T> a);

/// P A = L U with partial pivoting. 0, or the row, counted from 1, of the first pivot that is zero.
template <class T>
[[nodiscard]] std::size_t getrf(Matrix<T> a, std::span<Pivot> pivots);

/// Exchanges rows as getrf did.
template <class T>
void laswp(Matrix<T> a, std::span<const Pivot> pivots);

/// A = Q R in blocks of `t.rows` columns: R on and above the diagonal, the Householder vectors V below it, and in T the
/// triangular factors of the blocks. `work`: t.rows * a.columns elements.
template <class T>
void geqrt(Matrix<T> a, Matrix<T> t, T* work);
/// C := op(Q) C, where V and T come from geqrt. `work`: t.rows * c.columns elements.
template <class T>
void gemqrt(Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> c, T* work);
/// The same for R above B, with R upper triangular; V takes the place of B.
template <class T>
void tpqrt(Matrix<T> r, Matrix<T> b, Matrix<T> t, T* work);
/// op(Q) applied to A above B.
template <class T>
void tpmqrt(Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> a, Matrix<T> b, T* work);

}  // namespace heddle::linalg::blas
