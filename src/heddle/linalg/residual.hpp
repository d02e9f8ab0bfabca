#pragma once

#include <span>

#include "heddle/linalg/qr.hpp"
#include "heddle/linalg/watch.hpp"

/// How wrong a result is, as LAPACK's own tests measure it (S. Blackford, J. Dongarra, "Installation guide for LAPACK",
/// LAPACK Working Note 41, section 6): the error relative to what rounding makes inevitable, in 1-norms, with eps the
/// unit roundoff of T. Right results are of the order of 1 or below, and infinite when something is not a number.
/// Computed on all cores of the machine, in precision T.
namespace heddle::linalg {

/// Results beyond are wrong.
inline constexpr double kResidualThreshold = 30;

/// ||A - L L^T|| / (n ||A|| eps). `a`: both triangles; `l`: the lower one.
template <class T>
[[nodiscard]] double cholesky_residual(Matrix<const T> a, Matrix<const T> l, const Watch& watch = {});

/// ||P A - L U|| / (n ||A|| eps). `lu`: L below the diagonal, U on and above it. `pivots`: one for each row; none for
/// LU without pivoting.
template <class T>
[[nodiscard]] double lu_residual(Matrix<const T> a, Matrix<const T> lu, std::span<const blas::Pivot> pivots = {},
                                 const Watch& watch = {});

/// The larger of ||R - Q^T A|| / (m ||A|| eps) and ||I - Q^T Q|| / (m eps). `factors` and `q`: what qr() made of `a`.
/// Submits tasks and waits; when it is ended, it cancels all tasks of the runtime.
template <class T>
[[nodiscard]] double qr_residual(Runtime& runtime, Matrix<const T> a, const TiledMatrix<T>& factors,
                                 const Reflectors<T>& q, const Watch& watch = {});

/// ||C - (alpha A B + beta C0)|| / ((k |alpha| ||A|| ||B|| + |beta| ||C0||) eps), with k the columns of A.
template <class T>
[[nodiscard]] double product_residual(T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<const T> before,
                                      Matrix<const T> c, const Watch& watch = {});

/// ||B - A X|| / (n ||A|| ||X|| eps).
template <class T>
[[nodiscard]] double solve_residual(Matrix<const T> a, Matrix<const T> x, Matrix<const T> b);

/// ||A^T (B - A X)|| / (m ||A|| ||B|| eps): at the minimum of ||A X - B||, the rest is orthogonal to A's columns.
template <class T>
[[nodiscard]] double least_squares_residual(Matrix<const T> a, Matrix<const T> x, Matrix<const T> b);

}  // namespace heddle::linalg
