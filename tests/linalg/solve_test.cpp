// Systems of equations and least squares, by each factorization.

#include <gtest/gtest.h>
#include <lapacke.h>

#include <limits>
#include <vector>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/error.hpp"
#include "tests/linalg/factors.hpp"

namespace heddle::linalg::test::solve_test {
namespace {

struct Size {
  std::size_t n;
  std::size_t tile;
  std::size_t sides;  ///< right-hand sides
};
constexpr Size kSizes[] = {{1, 4, 1}, {9, 9, 2}, {33, 8, 9}, {96, 32, 1}, {100, 33, 40}};

template <class T>
class Solve : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Solve, Precisions);

int getrf(Matrix<double> a, int* pivots) {
  const int n = static_cast<int>(a.rows);
  return LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, a.data, n, pivots);
}
int getrf(Matrix<float> a, int* pivots) {
  const int n = static_cast<int>(a.rows);
  return LAPACKE_sgetrf(LAPACK_COL_MAJOR, n, n, a.data, n, pivots);
}

TYPED_TEST(Solve, ByCholesky) {
  for (const auto [n, tile, sides] : kSizes) {
    const auto a = random_definite<TypeParam>(n, true, n);
    const auto b = random_matrix<TypeParam>(n, sides, n + 1);
    Runtime runtime({.workers = "cpu=2"});
    TiledMatrix<TypeParam> l(runtime, a.view(), tile);
    TiledMatrix<TypeParam> x(runtime, b.view(), tile);
    cholesky(runtime, l);
    cholesky_solve(runtime, l, x);
    runtime.wait();
    EXPECT_LT(solve_residual<TypeParam>(a.view(), dense(x).view(), b.view()), kResidualThreshold) << n;
  }
}

TEST(Solve, RefusesWhatAnotherMatrixLeft) {
  Runtime runtime({.workers = "cpu=1"});
  TiledMatrix<double> a(runtime, random_definite<double>(20, false, 1).view(), 8);
  TiledMatrix<double> small(runtime, random_definite<double>(12, false, 1).view(), 8);
  TiledMatrix<double> b(runtime, 20, 1, 8);
  const Pivots pivots = pivoted_lu(runtime, small);
  EXPECT_THROW(lu_solve(runtime, a, pivots, b), InputError);
  const auto reflectors = qr(runtime, small);
  EXPECT_THROW(qr_solve(runtime, a, reflectors, b), InputError);
  runtime.wait();
}

TYPED_TEST(Solve, ByLuWithoutPivots) {
  for (const auto [n, tile, sides] : kSizes) {
    const auto a = random_definite<TypeParam>(n, false, n);
    const auto b = random_matrix<TypeParam>(n, sides, n + 1);
    Runtime runtime({.workers = "cpu=2"});
    TiledMatrix<TypeParam> packed(runtime, a.view(), tile);
    TiledMatrix<TypeParam> x(runtime, b.view(), tile);
    lu(runtime, packed);
    lu_solve(runtime, packed, x);
    runtime.wait();
    EXPECT_LT(solve_residual<TypeParam>(a.view(), dense(x).view(), b.view()), kResidualThreshold) << n;
  }
}

TYPED_TEST(Solve, ByLuWithPivotsWhichIsThatOfLapack) {
  for (const char* policy : {"dmdas", "heteroprio-dep", "ws"}) {
    for (const auto [n, tile, sides] : kSizes) {
      const auto a = random_matrix<TypeParam>(n, n, n);
      const auto b = random_matrix<TypeParam>(n, sides, n + 1);
      Runtime runtime({.workers = "cpu=1,cpu2=1", .policy = policy});
      TiledMatrix<TypeParam> packed(runtime, a.view(), tile);
      TiledMatrix<TypeParam> x(runtime, b.view(), tile);
      const Pivots pivots = pivoted_lu(runtime, packed);
      lu_solve(runtime, packed, pivots, x);
      runtime.wait();
      EXPECT_LT(lu_residual<TypeParam>(a.view(), dense(packed).view(), pivots.all()), kResidualThreshold) << n;
      EXPECT_LT(solve_residual<TypeParam>(a.view(), dense(x).view(), b.view()), kResidualThreshold) << n;
      DenseMatrix<TypeParam> expected = a;
      std::vector<int> rows(n);
      ASSERT_EQ(getrf(expected.view(), rows.data()), 0);
      EXPECT_EQ(pivots.all(), rows) << n;
    }
  }
}

TYPED_TEST(Solve, ByQr) {
  for (const auto [n, tile, sides] : kSizes) {
    const auto a = random_matrix<TypeParam>(n, n, n);
    const auto b = random_matrix<TypeParam>(n, sides, n + 1);
    Runtime runtime({.workers = "cpu=2"});
    TiledMatrix<TypeParam> r(runtime, a.view(), tile);
    TiledMatrix<TypeParam> x(runtime, b.view(), tile);
    const Reflectors<TypeParam> q = qr(runtime, r);
    qr_solve(runtime, r, q, x);
    runtime.wait();
    EXPECT_LT(solve_residual<TypeParam>(a.view(), dense(x).view(), b.view()), kResidualThreshold) << n;
  }
}

TYPED_TEST(Solve, LeastSquaresByQr) {
  for (const auto [n, tile, sides] : kSizes) {
    const std::size_t rows = 2 * n + 5;
    const auto a = random_matrix<TypeParam>(rows, n, n);
    const auto b = random_matrix<TypeParam>(rows, sides, n + 1);
    Runtime runtime({.workers = "cpu=2"});
    TiledMatrix<TypeParam> r(runtime, a.view(), tile);
    TiledMatrix<TypeParam> x(runtime, b.view(), tile);
    const Reflectors<TypeParam> q = qr(runtime, r);
    qr_solve(runtime, r, q, x);
    runtime.wait();
    const DenseMatrix<TypeParam> all = dense(x);
    const Matrix<const TypeParam> solution = all.view().block(0, 0, n, sides);
    EXPECT_LT(least_squares_residual<TypeParam>(a.view(), solution, b.view()), kResidualThreshold) << n;
  }
}

TYPED_TEST(Solve, QTimesItsTransposeChangesNothing) {
  const auto a = random_matrix<TypeParam>(70, 41, 1);
  const auto b = random_matrix<TypeParam>(70, 23, 2);
  Runtime runtime({.workers = "cpu=2"});
  TiledMatrix<TypeParam> factors(runtime, a.view(), 16);
  TiledMatrix<TypeParam> c(runtime, b.view(), 16);
  const Reflectors<TypeParam> q = qr(runtime, factors);
  apply_q(runtime, blas::Op::plain, factors, q, c);
  runtime.wait();
  EXPECT_NE(c.view(0, 0)(0, 0), b.view()(0, 0));
  apply_q(runtime, blas::Op::transposed, factors, q, c);
  runtime.wait();
  const DenseMatrix<TypeParam> back = dense(c);
  for (std::size_t j = 0; j < 23; ++j) {
    for (std::size_t i = 0; i < 70; ++i) {
      ASSERT_NEAR(back.view()(i, j), b.view()(i, j), 100 * std::numeric_limits<TypeParam>::epsilon());
    }
  }
}

TYPED_TEST(Solve, OfAnyTriangle) {
  using blas::Op;
  using blas::Triangle;
  const std::size_t n = 50;
  const auto a = random_definite<TypeParam>(n, false, 1);
  const auto b = random_matrix<TypeParam>(n, 7, 2);
  Runtime runtime({.workers = "cpu=2"});
  const TiledMatrix<TypeParam> tiled(runtime, a.view(), 16);
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const Op op : {Op::plain, Op::transposed}) {
      TiledMatrix<TypeParam> x(runtime, b.view(), 16);
      triangular_solve(runtime, triangle, op, blas::Diagonal::stored, tiled, x);
      runtime.wait();
      DenseMatrix<TypeParam> alone(n, n);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          if (i != j && (i > j) != (triangle == Triangle::lower)) continue;
          (op == Op::plain ? alone.view()(i, j) : alone.view()(j, i)) = a.view()(i, j);
        }
      }
      EXPECT_LT(solve_residual<TypeParam>(alone.view(), dense(x).view(), b.view()), kResidualThreshold);
    }
  }
}

TYPED_TEST(Solve, SingularMatricesAreNamed) {
  const std::size_t n = 40;
  auto a = random_matrix<TypeParam>(n, n, 1);
  for (std::size_t i = 0; i < n; ++i) a.view()(i, 21) = 0;
  Runtime runtime({.workers = "cpu=2"});
  TiledMatrix<TypeParam> packed(runtime, a.view(), 12);
  const Pivots pivots = pivoted_lu(runtime, packed);
  EXPECT_EQ(breakdown(runtime), "the matrix is singular (row 21, counted from 0)");
}

// A residual that cannot tell right from wrong proves nothing.
TYPED_TEST(Solve, ResidualsNoticeOneWrongElement) {
  const std::size_t n = 40;
  const auto a = random_definite<TypeParam>(n, true, 1);
  Runtime runtime({.workers = "cpu=2"});
  TiledMatrix<TypeParam> l(runtime, a.view(), 16);
  TiledMatrix<TypeParam> packed(runtime, a.view(), 16);
  TiledMatrix<TypeParam> r(runtime, a.view(), 16);
  cholesky(runtime, l);
  lu(runtime, packed);
  const Reflectors<TypeParam> q = qr(runtime, r);
  runtime.wait();
  for (TiledMatrix<TypeParam>* tiled : {&l, &packed, &r}) tiled->view(1, 1)(3, 3) *= TypeParam(1.01);
  EXPECT_GT(cholesky_residual<TypeParam>(a.view(), dense(l).view()), kResidualThreshold);
  EXPECT_GT(lu_residual<TypeParam>(a.view(), dense(packed).view()), kResidualThreshold);
  EXPECT_GT(qr_residual<TypeParam>(runtime, a.view(), r, q), kResidualThreshold);
  const DenseMatrix<TypeParam> zeros(n, n);
  EXPECT_GT(product_residual<TypeParam>(1, a.view(), a.view(), 0, zeros.view(), zeros.view()), kResidualThreshold);
  EXPECT_GT(solve_residual<TypeParam>(a.view(), a.view(), a.view()), kResidualThreshold);
  l.view(0, 0)(0, 0) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(cholesky_residual<TypeParam>(a.view(), dense(l).view()), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace heddle::linalg::test::solve_test
