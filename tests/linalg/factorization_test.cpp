// The tiled factorizations against LAPACK's and against their residuals, in both precisions, with tiles that divide the
// matrix and tiles that do not.

#include <gtest/gtest.h>
#include <lapacke.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/error.hpp"
#include "tests/linalg/factors.hpp"
#include "tests/linalg/right_results.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::linalg::test::factorization_test {
namespace {

struct Size {
  std::size_t n;
  std::size_t tile;
};
constexpr Size kSizes[] = {{1, 4}, {7, 7}, {8, 9}, {33, 8}, {96, 32}, {100, 33}, {130, 48}};

template <class T>
class Factorization : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Factorization, Precisions);

int potrf(Matrix<double> a) {
  return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', static_cast<int>(a.rows), a.data, static_cast<int>(a.leading));
}
int potrf(Matrix<float> a) {
  return LAPACKE_spotrf(LAPACK_COL_MAJOR, 'L', static_cast<int>(a.rows), a.data, static_cast<int>(a.leading));
}

int geqrf(Matrix<double> a) {
  std::vector<double> tau(a.columns);
  return LAPACKE_dgeqrf(LAPACK_COL_MAJOR, static_cast<int>(a.rows), static_cast<int>(a.columns), a.data,
                        static_cast<int>(a.leading), tau.data());
}
int geqrf(Matrix<float> a) {
  std::vector<float> tau(a.columns);
  return LAPACKE_sgeqrf(LAPACK_COL_MAJOR, static_cast<int>(a.rows), static_cast<int>(a.columns), a.data,
                        static_cast<int>(a.leading), tau.data());
}

/// How far two numbers may be apart that were computed in another order, where those they are made of are of the order
/// of `scale`.
template <class T>
double tolerance(double scale) {
  return 100 * scale * std::numeric_limits<T>::epsilon();
}

TYPED_TEST(Factorization, CholeskyIsThatOfLapack) {
  for (const auto [n, tile] : kSizes) {
    const DenseMatrix<TypeParam> a = random_definite<TypeParam>(n, true, n);
    Runtime runtime({.workers = "cpu=2"});
    TiledMatrix<TypeParam> tiled(runtime, a.view(), tile);
    cholesky(runtime, tiled);
    runtime.wait();
    const DenseMatrix<TypeParam> l = dense(tiled);
    EXPECT_LT(cholesky_residual<TypeParam>(a.view(), l.view()), kResidualThreshold) << n << " in tiles of " << tile;
    DenseMatrix<TypeParam> expected = a;
    ASSERT_EQ(potrf(expected.view()), 0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        ASSERT_NEAR(l.view()(i, j), expected.view()(i, j), tolerance<TypeParam>(std::sqrt(static_cast<double>(n))));
      }
    }
  }
}

TYPED_TEST(Factorization, LuNeedsNoPivotsOnDefiniteMatrices) {
  for (const auto [n, tile] : kSizes) {
    const DenseMatrix<TypeParam> a = random_definite<TypeParam>(n, false, n);
    Runtime runtime({.workers = "cpu=2"});
    TiledMatrix<TypeParam> tiled(runtime, a.view(), tile);
    lu(runtime, tiled);
    runtime.wait();
    EXPECT_LT(lu_residual<TypeParam>(a.view(), dense(tiled).view()), kResidualThreshold)
        << n << " in tiles of " << tile;
  }
}

TYPED_TEST(Factorization, QrIsThatOfLapackButForSigns) {
  for (const auto [n, tile] : kSizes) {
    for (const std::size_t more : {std::size_t{0}, n / 2 + 1}) {
      const std::size_t rows = n + more;
      const DenseMatrix<TypeParam> a = random_matrix<TypeParam>(rows, n, n);
      Runtime runtime({.workers = "cpu=2"});
      TiledMatrix<TypeParam> tiled(runtime, a.view(), tile);
      const Reflectors<TypeParam> q = qr(runtime, tiled);
      runtime.wait();
      EXPECT_LT(qr_residual<TypeParam>(runtime, a.view(), tiled, q), kResidualThreshold)
          << rows << " x " << n << " in tiles of " << tile;
      const DenseMatrix<TypeParam> r = dense(tiled);
      DenseMatrix<TypeParam> expected = a;
      ASSERT_EQ(geqrf(expected.view()), 0);
      // Rows of R are unique up to their signs, but the last ones of a square matrix are as good as its condition.
      for (std::size_t i = 0; i < n / 2; ++i) {
        const TypeParam sign = r.view()(i, i) * expected.view()(i, i) < 0 ? -1 : 1;
        for (std::size_t j = i; j < n; ++j) {
          ASSERT_NEAR(sign * r.view()(i, j), expected.view()(i, j), 100 * tolerance<TypeParam>(1));
        }
      }
    }
  }
}

TEST(Residual, TellsHowFarItIsAndEndsWhenToldTo) {
  const DenseMatrix<double> a = random_definite<double>(500, true, 1);
  Runtime runtime({.workers = "cpu=2"});
  TiledMatrix<double> l(runtime, a.view(), 100);
  cholesky(runtime, l);
  TiledMatrix<double> r(runtime, a.view(), 100);
  const Reflectors<double> q = qr(runtime, r);
  runtime.wait();
  const DenseMatrix<double> factor = dense(l);
  const auto expect_watched = [](const std::function<double(const Watch&)>& residual) {
    double before = 0;
    EXPECT_LT(residual([&](double part) {
                EXPECT_GE(part, before);
                before = part;
              }),
              kResidualThreshold);
    EXPECT_DOUBLE_EQ(before, 1);
    EXPECT_THROW(static_cast<void>(residual([](double) { throw std::runtime_error("enough"); })), std::runtime_error);
  };
  expect_watched([&](const Watch& watch) { return cholesky_residual<double>(a.view(), factor.view(), watch); });
  expect_watched([&](const Watch& watch) { return qr_residual<double>(runtime, a.view(), r, q, watch); });
  EXPECT_LT(qr_residual<double>(runtime, a.view(), r, q), kResidualThreshold) << "and nothing of that is left";
}

TYPED_TEST(Factorization, GemmAddsTheProduct) {
  for (const auto [n, tile] : kSizes) {
    const std::size_t rows = n + 3;
    const std::size_t columns = 2 * n;
    const auto a = random_matrix<TypeParam>(rows, n, 1);
    const auto b = random_matrix<TypeParam>(n, columns, 2);
    const auto c = random_matrix<TypeParam>(rows, columns, 3);
    Runtime runtime({.workers = "cpu=2"});
    const TiledMatrix<TypeParam> tiled_a(runtime, a.view(), tile);
    const TiledMatrix<TypeParam> tiled_b(runtime, b.view(), tile);
    TiledMatrix<TypeParam> tiled_c(runtime, c.view(), tile);
    gemm<TypeParam>(runtime, 2, tiled_a, tiled_b, -3, tiled_c);
    runtime.wait();
    const DenseMatrix<TypeParam> result = dense(tiled_c);
    EXPECT_LT(product_residual<TypeParam>(2, a.view(), b.view(), -3, c.view(), result.view()), kResidualThreshold);
    TypeParam corner = -3 * c.view()(rows - 1, 0);
    for (std::size_t k = 0; k < n; ++k) corner += 2 * a.view()(rows - 1, k) * b.view()(k, 0);
    EXPECT_NEAR(result.view()(rows - 1, 0), corner, tolerance<TypeParam>(static_cast<double>(n)));
  }
}

TYPED_TEST(Factorization, BreakdownsNameTheRow) {
  constexpr std::size_t kOrder = 50;
  constexpr std::size_t kRow = 37;
  Runtime runtime({.workers = "cpu=2"});
  DenseMatrix<TypeParam> a = random_definite<TypeParam>(kOrder, true, 1);
  a.view()(kRow, kRow) = -1;
  TiledMatrix<TypeParam> tiled(runtime, a.view(), 16);
  cholesky(runtime, tiled);
  EXPECT_EQ(breakdown(runtime), "the matrix is not positive definite (row 37, counted from 0)");
  // A triangle stays one without pivoting, and its diagonal are the pivots.
  for (std::size_t j = 0; j < kOrder; ++j) {
    for (std::size_t i = j + 1; i < kOrder; ++i) a.view()(i, j) = 0;
  }
  a.view()(kRow, kRow) = 0;
  TiledMatrix<TypeParam> other(runtime, a.view(), 16);
  lu(runtime, other);
  EXPECT_EQ(breakdown(runtime), "the matrix has a zero pivot (row 37, counted from 0)");
}

TYPED_TEST(Factorization, WhatIsNoNumberIsABreakdown) {
  Runtime runtime({.workers = "cpu=2"});
  DenseMatrix<TypeParam> a = random_definite<TypeParam>(50, true, 1);
  a.view()(37, 37) = std::numeric_limits<TypeParam>::quiet_NaN();
  TiledMatrix<TypeParam> tiled(runtime, a.view(), 16);
  cholesky(runtime, tiled);
  EXPECT_EQ(breakdown(runtime), "the matrix is not positive definite (row 37, counted from 0)");
  tiled.assign(a.view());
  lu(runtime, tiled);
  EXPECT_EQ(breakdown(runtime), "the matrix has a pivot that is not a number (row 37, counted from 0)");
  tiled.assign(a.view());
  const auto pivots = pivoted_lu(runtime, tiled);
  EXPECT_NE(breakdown(runtime).find("has a pivot that is not a number"), std::string::npos);
}

TYPED_TEST(Factorization, ATileMayBeAsLargeAsCanBeSaid) {
  Runtime runtime({.workers = "cpu=1"});
  const DenseMatrix<TypeParam> a = random_definite<TypeParam>(5, true, 1);
  TiledMatrix<TypeParam> tiled(runtime, a.view(), std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(tiled.tile_rows(), 1);
  cholesky(runtime, tiled);
  EXPECT_EQ(breakdown(runtime), "");
}

TYPED_TEST(Factorization, WhatIsReplacedWaitsForItsTasks) {
  Runtime runtime({.workers = "cpu=2"});
  const auto a = random_definite<TypeParam>(96, false, 1);
  TiledMatrix<TypeParam> tiled(runtime, a.view(), 16);
  Pivots pivots = pivoted_lu(runtime, tiled);
  for (int round = 0; round < 5; ++round) {
    tiled = TiledMatrix<TypeParam>(runtime, a.view(), 16 + static_cast<std::size_t>(round));
    pivots = pivoted_lu(runtime, tiled);
  }
  runtime.wait();
  EXPECT_EQ(pivots.all().size(), 96U);
}

TEST(Policies, AllThatTheRuntimeTakesFactorize) {
  for (const std::string& policy : runtime::runtime_policies()) {
    Runtime runtime({.workers = "cpu=2", .policy = policy});
    expect_right_results<double>(runtime, 60, 16, policy);
  }
}

TYPED_TEST(Factorization, GroupsOfCoresDivideTheirTiles) {
  for (const char* policy : {"dmdas", "heteroprio-dep"}) {
    Runtime runtime({.workers = "cpu=1,cpu2=1", .policy = policy});
    expect_right_results<TypeParam>(runtime, 150, 32, policy);
  }
  Runtime runtime({.workers = "cpu3=1", .bind = false});
  expect_right_results<TypeParam>(runtime, 100, 33, "one group");
}

TEST(TiledMatrix, ComesBackAsItWent) {
  Runtime runtime({.workers = "cpu=1"});
  const auto a = random_matrix<double>(37, 20, 1);
  const TiledMatrix<double> tiled(runtime, a.view(), 8);
  EXPECT_EQ(tiled.tile_rows(), 5);
  EXPECT_EQ(tiled.tile_columns(), 3);
  EXPECT_EQ(tiled.view(4, 2).rows, 5U);
  EXPECT_EQ(tiled.view(4, 2).columns, 4U);
  EXPECT_EQ(tiled.view(4, 2)(0, 0), a.view()(32, 16));
  // A part of a larger matrix.
  DenseMatrix<double> larger(50, 30);
  tiled.copy_to(larger.view().block(2, 3, 37, 20));
  EXPECT_EQ(larger.view()(2 + 36, 3 + 19), a.view()(36, 19));
  EXPECT_EQ(larger.view()(1, 3), 0);
  EXPECT_THROW(tiled.copy_to(larger.view()), InputError);
  EXPECT_THROW(TiledMatrix<double>(runtime, 3, 3, 0), InputError);
}

/// The share of the pages from here on that the operating system has placed.
double placed(const double* first, std::size_t count) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
  const std::size_t pages = (reinterpret_cast<std::uintptr_t>(first + count) - begin) / page;
  std::vector<unsigned char> there(pages);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(begin), pages * page, there.data()), 0);
  const auto some = std::ranges::count_if(there, [](unsigned char one) { return (one & 1U) != 0; });
  return static_cast<double>(some) / static_cast<double>(pages);
}

TEST(TiledMatrix, IsPlacedByTheTasksThatFirstWriteToIt) {
  if (heddle::test::kSanitized) GTEST_SKIP() << "sanitizers have their own allocators";
  constexpr std::size_t kSide = 2048;
  Runtime runtime({.workers = "cpu=2", .history = ""});
  TiledMatrix<double> tiled(runtime, kSide, kSide, kSide / 2);
  const double* memory = tiled.view(0, 0).data;
  EXPECT_LT(placed(memory, kSide * kSide), 0.2);
  const runtime::Kernel fill("fill", runtime::on_cpu([](runtime::Matrix<double> tile) {
                               EXPECT_EQ(tile(tile.rows - 1, tile.columns - 1), 0);
                               std::fill_n(tile.data, tile.rows * tile.columns, 1.0);
                             }));
  runtime.submit(fill, rw(tiled(0, 1)));
  runtime.wait();
  EXPECT_LT(placed(memory, kSide * kSide / 2), 0.2);
  EXPECT_GT(placed(tiled.view(0, 1).data, kSide * kSide / 4), 0.9);
}

TEST(Traces, NameTheTasksOfATiledAlgorithm) {
  Runtime runtime({.workers = "cpu=2", .trace = true});
  const auto a = random_definite<double>(40, true, 1);
  TiledMatrix<double> tiled(runtime, a.view(), 10);
  cholesky(runtime, tiled);
  runtime.wait();
  const runtime::Trace trace = runtime.trace();
  ASSERT_EQ(trace.instance.graph.task_count(), 20U);
  EXPECT_EQ(trace.instance.graph.name(make_id<TaskId>(0)), "POTRF(0,0)");
  EXPECT_EQ(trace.instance.graph.name(make_id<TaskId>(5)), "GEMM(2,1,0)");
}

TEST(Shapes, ThatDoNotFitAreRefused) {
  Runtime runtime({.workers = "cpu=1"});
  TiledMatrix<double> tall(runtime, 12, 8, 4);
  TiledMatrix<double> wide(runtime, 8, 12, 4);
  TiledMatrix<double> other(runtime, 12, 8, 5);
  EXPECT_THROW(cholesky(runtime, tall), InputError);
  EXPECT_THROW(lu(runtime, tall), InputError);
  EXPECT_THROW(static_cast<void>(qr(runtime, wide)), InputError);
  EXPECT_THROW(gemm(runtime, 1.0, tall, tall, 0.0, tall), InputError);
  EXPECT_THROW(gemm(runtime, 1.0, wide, other, 0.0, tall), InputError);
  const Reflectors<double> q = qr(runtime, tall);
  EXPECT_THROW(qr_solve(runtime, tall, q, wide), InputError);
  EXPECT_THROW(qr_solve(runtime, tall, q, other), InputError);
  runtime.wait();
}

}  // namespace
}  // namespace heddle::linalg::test::factorization_test
