#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "heddle/linalg/slices.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/parallel.hpp"

namespace heddle::linalg {
namespace {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What LAPACK calls eps: half the distance from 1 to the next number.
template <class T>
constexpr double kEps = std::numeric_limits<T>::epsilon() / 2;

template <class T>
double one_norm(const Matrix<T>& a) {
  double norm = 0;
  for (std::size_t j = 0; j < a.columns; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rows; ++i) sum += std::abs(static_cast<double>(a(i, j)));
    if (!std::isfinite(sum)) return kInfinity;
    norm = std::max(norm, sum);
  }
  return norm;
}

double ratio(double error, double inevitable) {
  if (error == 0) return 0;
  return inevitable > 0 && std::isfinite(inevitable) ? error / inevitable : kInfinity;
}

template <class T>
void subtract_from(const Matrix<const T>& a, const Matrix<T>& from) {
  for (std::size_t j = 0; j < a.columns; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) from(i, j) -= a(i, j);
  }
}

/// The norm of a matrix that need not be in memory at once: fill(first, part) computes the columns from `first` on.
template <class T, class Fill>
double norm_by_columns(std::size_t rows, std::size_t count, Fill&& fill, const Watch& watch = {}) {
  constexpr std::size_t kColumns = 128;
  blas::use_one_thread();
  std::vector<double> norms((count + kColumns - 1) / kColumns);
  const auto tell = [&](std::size_t done) {
    if (watch) watch(static_cast<double>(done) / static_cast<double>(norms.size()));
  };
  const auto measure = [&](std::size_t i) {
    const std::size_t first = i * kColumns;
    DenseMatrix<T> part(rows, std::min(kColumns, count - first));
    fill(first, part.view());
    norms[i] = one_norm(part.view());
  };
  parallel_for(norms.size(), core_count(), measure, tell);
  return norms.empty() ? 0 : *std::ranges::max_element(norms);
}

template <class T>
double norm(const Matrix<const T>& a) {
  return norm_by_columns<T>(a.rows, a.columns, [&](std::size_t first, const Matrix<T>& part) {
    copy(columns(a, first, part.columns), part);
  });
}

/// Waits for all tasks.
void wait(Runtime& runtime, const Watch& watch) {
  const std::uint64_t all = runtime.unfinished();
  runtime.wait([&](std::uint64_t left) {
    if (watch && all > 0) watch(1 - static_cast<double>(std::min(left, all)) / static_cast<double>(all));
  });
}

/// B := L B, where only the first rows of B, so many, are not zero, and L is a lower triangle.
template <class T>
void multiply_by_lower(Diagonal diagonal, const Matrix<const T>& l, std::size_t count, const Matrix<T>& b) {
  const std::size_t rest = b.rows - count;
  const Matrix<T> top = rows(b, 0, count);
  blas::gemm<T>(Op::plain, Op::plain, T(1), l.block(count, 0, rest, count), top, T(0), rows(b, count, rest));
  blas::trmm<T>({Side::left, Triangle::lower, Op::plain, diagonal}, l.block(0, 0, count, count), top);
}

}  // namespace

template <class T>
double cholesky_residual(Matrix<const T> a, Matrix<const T> l, const Watch& watch) {
  const auto fill = [&](std::size_t first, const Matrix<T>& part) {
    for (std::size_t j = 0; j < part.columns; ++j) {
      for (std::size_t i = 0; i <= first + j; ++i) part(i, j) = l(first + j, i);
    }
    multiply_by_lower<T>(Diagonal::stored, l, first + part.columns, part);
    subtract_from(columns(a, first, part.columns), part);
  };
  const double error = norm_by_columns<T>(a.rows, a.columns, fill, watch);
  return ratio(error, static_cast<double>(a.rows) * norm(a) * kEps<T>);
}

template <class T>
double lu_residual(Matrix<const T> a, Matrix<const T> lu, std::span<const blas::Pivot> pivots, const Watch& watch) {
  const auto fill = [&](std::size_t first, const Matrix<T>& part) {
    for (std::size_t j = 0; j < part.columns; ++j) {
      for (std::size_t i = 0; i <= first + j; ++i) part(i, j) = lu(i, first + j);
    }
    multiply_by_lower<T>(Diagonal::unit, lu, first + part.columns, part);
    DenseMatrix<T> exchanged(part.rows, part.columns);
    copy(columns(a, first, part.columns), exchanged.view());
    if (!pivots.empty()) blas::laswp<T>(exchanged.view(), pivots);
    subtract_from<T>(exchanged.view(), part);
  };
  const double error = norm_by_columns<T>(a.rows, a.columns, fill, watch);
  return ratio(error, static_cast<double>(a.rows) * norm(a) * kEps<T>);
}

template <class T>
double qr_residual(Runtime& runtime, Matrix<const T> a, const TiledMatrix<T>& factors, const Reflectors<T>& q,
                   const Watch& watch) {
  const auto rows = static_cast<double>(a.rows);
  // Which parts of the work come to an end one after the other, for a square matrix.
  constexpr double kExpected = 0.4;
  constexpr double kProducts = 0.8;
  DenseMatrix<T> packed(a.rows, a.columns);
  factors.copy_to(packed.view());
  DenseMatrix<T> expected(a.rows, a.columns);  // Q^T A
  DenseMatrix<T> transposed(a.rows, a.rows);   // Q^T I
  for (std::size_t i = 0; i < a.rows; ++i) transposed.view()(i, i) = 1;
  for (DenseMatrix<T>* product : {&expected, &transposed}) {
    if (product == &expected) copy(a, product->view());
    TiledMatrix<T> tiled(runtime, product->view(), factors.tile_size());
    apply_q(runtime, Op::transposed, factors, q, tiled);
    wait(runtime, product == &expected ? part_of(watch, 0, kExpected) : part_of(watch, kExpected, kProducts));
    tiled.copy_to(product->view());
  }
  const double error = norm_by_columns<T>(a.rows, a.columns, [&](std::size_t first, const Matrix<T>& part) {
    copy(columns<T>(expected.view(), first, part.columns), part);
    for (std::size_t j = 0; j < part.columns; ++j) {
      for (std::size_t i = 0; i <= first + j; ++i) part(i, j) -= packed.view()(i, first + j);
    }
  });
  const auto fill = [&](std::size_t first, const Matrix<T>& part) {
    for (std::size_t j = 0; j < part.columns; ++j) part(first + j, j) = 1;
    const Matrix<const T> all = transposed.view();
    blas::gemm<T>(Op::plain, Op::transposed, T(-1), all, all.block(first, 0, part.columns, all.columns), T(1), part);
  };
  const double skew = norm_by_columns<T>(a.rows, a.rows, fill, part_of(watch, kProducts, 1));
  return std::max(ratio(error, rows * norm(a) * kEps<T>), ratio(skew, rows * kEps<T>));
}

template <class T>
double product_residual(T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<const T> before,
                        Matrix<const T> c, const Watch& watch) {
  const auto fill = [&](std::size_t first, const Matrix<T>& part) {
    copy(columns(before, first, part.columns), part);
    blas::gemm<T>(Op::plain, Op::plain, alpha, a, columns(b, first, part.columns), beta, part);
    subtract_from(columns(c, first, part.columns), part);
  };
  const double error = norm_by_columns<T>(c.rows, c.columns, fill, watch);
  const double inevitable = static_cast<double>(a.columns) * std::abs(static_cast<double>(alpha)) * norm(a) * norm(b) +
                            std::abs(static_cast<double>(beta)) * norm(before);
  return ratio(error, inevitable * kEps<T>);
}

template <class T>
double solve_residual(Matrix<const T> a, Matrix<const T> x, Matrix<const T> b) {
  const double error = norm_by_columns<T>(b.rows, b.columns, [&](std::size_t first, const Matrix<T>& part) {
    copy(columns(b, first, part.columns), part);
    blas::gemm<T>(Op::plain, Op::plain, T(-1), a, columns(x, first, part.columns), T(1), part);
  });
  return ratio(error, static_cast<double>(a.rows) * norm(a) * norm(x) * kEps<T>);
}

template <class T>
double least_squares_residual(Matrix<const T> a, Matrix<const T> x, Matrix<const T> b) {
  const double error = norm_by_columns<T>(a.columns, b.columns, [&](std::size_t first, const Matrix<T>& part) {
    DenseMatrix<T> rest(b.rows, part.columns);
    copy(columns(b, first, part.columns), rest.view());
    blas::gemm<T>(Op::plain, Op::plain, T(-1), a, columns(x, first, part.columns), T(1), rest.view());
    blas::gemm<T>(Op::transposed, Op::plain, T(1), a, rest.view(), T(0), part);
  });
  return ratio(error, static_cast<double>(a.rows) * norm(a) * norm(b) * kEps<T>);
}

template double cholesky_residual(Matrix<const double>, Matrix<const double>, const Watch&);
template double cholesky_residual(Matrix<const float>, Matrix<const float>, const Watch&);
template double lu_residual(Matrix<const double>, Matrix<const double>, std::span<const blas::Pivot>, const Watch&);
template double lu_residual(Matrix<const float>, Matrix<const float>, std::span<const blas::Pivot>, const Watch&);
template double qr_residual(Runtime&, Matrix<const double>, const TiledMatrix<double>&, const Reflectors<double>&,
                            const Watch&);
template double qr_residual(Runtime&, Matrix<const float>, const TiledMatrix<float>&, const Reflectors<float>&,
                            const Watch&);
template double product_residual(double, Matrix<const double>, Matrix<const double>, double, Matrix<const double>,
                                 Matrix<const double>, const Watch&);
template double product_residual(float, Matrix<const float>, Matrix<const float>, float, Matrix<const float>,
                                 Matrix<const float>, const Watch&);
template double solve_residual(Matrix<const double>, Matrix<const double>, Matrix<const double>);
template double solve_residual(Matrix<const float>, Matrix<const float>, Matrix<const float>);
template double least_squares_residual(Matrix<const double>, Matrix<const double>, Matrix<const double>);
template double least_squares_residual(Matrix<const float>, Matrix<const float>, Matrix<const float>);

}  // namespace heddle::linalg
