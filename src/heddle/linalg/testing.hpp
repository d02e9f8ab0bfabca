#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/runtime/views.hpp"

/// Random matrices, and how wrong a result is, as LAPACK's own tests measure it (S. Blackford, J. Dongarra,
/// "Installation guide for LAPACK", LAPACK Working Note 41, section 6): residuals are the error relative to what
/// rounding makes inevitable, in 1-norms, with eps the unit roundoff of T. Right results are of the order of 1 or
/// below, and infinite when something is not a number. Computed on all cores of the machine, in precision T.
namespace heddle::linalg {

/// Told now and then, by the calling thread, which part of the work is done, from 0 to 1. What it throws ends the work.
using Watch = std::function<void(double part)>;

/// For a part of the work, from `begin` to `end` of all. Must go before `all` does.
[[nodiscard]] inline Watch part_of(const Watch& all, double begin, double end) {
  if (!all) return {};
  return [&all, begin, end](double part) { all(begin + (end - begin) * part); };
}

/// A column-major matrix with memory of its own.
template <class T>
class DenseMatrix {
 public:
  /// Zeros.
  DenseMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), memory_(rows * columns) {}

  [[nodiscard]] runtime::Matrix<T> view() { return {memory_.data(), rows_, columns_, rows_}; }
  [[nodiscard]] runtime::Matrix<const T> view() const { return {memory_.data(), rows_, columns_, rows_}; }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<T> memory_;
};

/// Elements uniform on [-0.5, 0.5), the same on every machine for one seed.
template <class T>
[[nodiscard]] DenseMatrix<T> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed,
                                           const Watch& watch = {});

/// The same with the square root of `order` added to the diagonal, and, for `symmetric`, the upper triangle that
/// mirrors the lower one: positive definite, or with a symmetric part that is, so that LU needs no pivoting. The random
/// part has norms of about 0.58 times what is added, so that it is neither too large nor lost in what a residual
/// forgives.
template <class T>
[[nodiscard]] DenseMatrix<T> random_definite(std::size_t order, bool symmetric, std::uint64_t seed,
                                             const Watch& watch = {});

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
