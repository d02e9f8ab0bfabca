#pragma once

#include <gtest/gtest.h>

#include <string>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"
#include "tests/linalg/factors.hpp"

namespace heddle::linalg::test {

/// Every factorization of matrices of this order, with the solve that goes with it, and a product, all at once: all
/// right to the residual.
template <class T>
void expect_right_results(Runtime& runtime, std::size_t n, std::size_t tile, const std::string& what) {
  const auto definite = random_definite<T>(n, true, 1);
  const auto dominant = random_definite<T>(n, false, 2);
  const auto general = random_matrix<T>(n, n, 3);
  const auto tall = random_matrix<T>(n + n / 2 + 1, n, 4);
  const auto sides = random_matrix<T>(n, n / 3 + 1, 5);
  const auto tall_sides = random_matrix<T>(n + n / 2 + 1, n / 3 + 1, 6);
  const auto tiles_of = [&](const DenseMatrix<T>& a) { return TiledMatrix<T>(runtime, a.view(), tile); };

  TiledMatrix<T> l = tiles_of(definite);
  TiledMatrix<T> x = tiles_of(sides);
  cholesky(runtime, l);
  cholesky_solve(runtime, l, x);
  TiledMatrix<T> packed = tiles_of(dominant);
  TiledMatrix<T> y = tiles_of(sides);
  lu(runtime, packed);
  lu_solve(runtime, packed, y);
  TiledMatrix<T> permuted = tiles_of(general);
  TiledMatrix<T> z = tiles_of(sides);
  const Pivots pivots = pivoted_lu(runtime, permuted);
  lu_solve(runtime, permuted, pivots, z);
  TiledMatrix<T> r = tiles_of(tall);
  TiledMatrix<T> least = tiles_of(tall_sides);
  const Reflectors<T> q = qr(runtime, r);
  qr_solve(runtime, r, q, least);
  const TiledMatrix<T> a = tiles_of(general);
  const TiledMatrix<T> b = tiles_of(sides);
  TiledMatrix<T> c = tiles_of(sides);
  gemm<T>(runtime, 2, a, b, -3, c);
  runtime.wait();

  const auto expect_small = [&](double residual, const char* of) {
    EXPECT_LT(residual, kResidualThreshold) << of << " of order " << n << " in tiles of " << tile << ", " << what;
  };
  expect_small(cholesky_residual<T>(definite.view(), dense(l).view()), "Cholesky");
  expect_small(solve_residual<T>(definite.view(), dense(x).view(), sides.view()), "solve by Cholesky");
  expect_small(lu_residual<T>(dominant.view(), dense(packed).view()), "LU");
  expect_small(solve_residual<T>(dominant.view(), dense(y).view(), sides.view()), "solve by LU");
  expect_small(lu_residual<T>(general.view(), dense(permuted).view(), pivots.all()), "LU with pivots");
  expect_small(solve_residual<T>(general.view(), dense(z).view(), sides.view()), "solve by LU with pivots");
  expect_small(qr_residual<T>(runtime, tall.view(), r, q), "QR");
  const DenseMatrix<T> all = dense(least);
  expect_small(least_squares_residual<T>(tall.view(), all.view().block(0, 0, n, n / 3 + 1), tall_sides.view()),
               "least squares by QR");
  expect_small(product_residual<T>(2, general.view(), sides.view(), -3, sides.view(), dense(c).view()), "product");
}

}  // namespace heddle::linalg::test
