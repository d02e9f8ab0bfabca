#include "heddle/workload/tiled.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace heddle::workload {
namespace {

std::uint64_t total(Algorithm algorithm, const TileCounts& counts) {
  const auto tasks = kernel_counts(algorithm, counts);
  return std::accumulate(tasks.begin(), tasks.end(), std::uint64_t{0});
}

/// "POTRF(0,0) TRSM(1,0) ..."
std::string names(Algorithm algorithm, const TileCounts& counts) {
  std::string text;
  visit_tasks(algorithm, counts, [&](const TileTask& task) {
    text += (text.empty() ? "" : " ") + std::string(TileTaskName(task).view());
  });
  return text;
}

constexpr std::array kAll{Algorithm::cholesky, Algorithm::lu, Algorithm::qr, Algorithm::gemm};

TEST(TiledLoops, FollowTheRules) {
  EXPECT_EQ(names(Algorithm::cholesky, TileCounts::square(3)),
            "POTRF(0,0) TRSM(1,0) TRSM(2,0) SYRK(1,1,0) GEMM(2,1,0) SYRK(2,2,0) "
            "POTRF(1,1) TRSM(2,1) SYRK(2,2,1) POTRF(2,2)");
  EXPECT_EQ(names(Algorithm::lu, TileCounts::square(3)),
            "GETRF(0,0) TRSM_U(1,0) TRSM_U(2,0) TRSM_L(0,1) GEMM(1,1,0) GEMM(2,1,0) TRSM_L(0,2) GEMM(1,2,0) "
            "GEMM(2,2,0) GETRF(1,1) TRSM_U(2,1) TRSM_L(1,2) GEMM(2,2,1) GETRF(2,2)");
  EXPECT_EQ(names(Algorithm::qr, TileCounts::square(2)), "GEQRT(0,0) ORMQR(0,1) TSQRT(1,0) TSMQR(1,1,0) GEQRT(1,1)");
  EXPECT_EQ(names(Algorithm::gemm, {1, 2, 2}), "GEMM(0,0,0) GEMM(0,0,1) GEMM(0,1,0) GEMM(0,1,1)");
}

TEST(TiledGraph, HasTheTasksThatItsCountsPromise) {
  for (const Algorithm algorithm : kAll) {
    for (std::int32_t n = 1; n <= 7; ++n) {
      const TaskGraph graph = tiled_graph(algorithm, TileCounts::square(n), 8);
      const auto expected = kernel_counts(algorithm, TileCounts::square(n));
      std::vector<std::uint64_t> found(expected.size());
      for (const TaskId task : graph.tasks()) ++found[index(graph.type(task))];
      EXPECT_EQ(found, expected) << graph.task_count() << " tasks, n = " << n;
    }
  }
  EXPECT_EQ(total(Algorithm::gemm, {2, 3, 5}), 30U);
  EXPECT_EQ(total(Algorithm::cholesky, TileCounts::square(181)), 1'004'731U);
}

// Cholesky: each task but the first writer of a tile waits for the writer before it, and each reads
// 0 (POTRF), 1 (TRSM, SYRK) or 2 (GEMM) results: N(N-1)(N+1)/2 in all.
TEST(TiledGraph, CholeskyHasItsDependencies) {
  const std::map<std::int32_t, std::size_t> published{{4, 30}, {8, 252}, {10, 495}};
  for (const auto& [n, edges] : published) {
    EXPECT_EQ(tiled_graph(Algorithm::cholesky, TileCounts::square(n), 8).edge_count(), edges);
  }
  for (std::int32_t n = 1; n <= 12; ++n) {
    const auto expected = static_cast<std::size_t>(n * (n - 1) * (n + 1) / 2);
    EXPECT_EQ(tiled_graph(Algorithm::cholesky, TileCounts::square(n), 8).edge_count(), expected) << n;
  }
}

// LU, with r = N-1-k tiles beyond step k: r TRSM_U and r TRSM_L read one result, r^2 GEMMs two, and every task of a
// step k > 0 waits for the writer of its tile. That is sum (2r + 2r^2) over all steps + sum (r+1)^2 over all but the
// first.
TEST(TiledGraph, LuHasItsDependencies) {
  EXPECT_EQ(tiled_graph(Algorithm::lu, TileCounts::square(10), 8).edge_count(), 945U);
  for (std::int32_t n = 1; n <= 12; ++n) {
    std::size_t expected = 0;
    for (std::int32_t k = 0; k < n; ++k) {
      const auto r = static_cast<std::size_t>(n - 1 - k);
      expected += 2 * r + 2 * r * r + (k > 0 ? (r + 1) * (r + 1) : 0);
    }
    EXPECT_EQ(tiled_graph(Algorithm::lu, TileCounts::square(n), 8).edge_count(), expected) << n;
  }
}

// QR: as LU within a step, but the tiles of row k are a chain: TSQRT waits for the GEQRT or TSQRT above it, TSMQR for
// its TSQRT and for the ORMQR or TSMQR above it: the same number of edges.
TEST(TiledGraph, QrHasAsManyDependenciesAsLu) {
  for (std::int32_t n = 1; n <= 12; ++n) {
    EXPECT_EQ(tiled_graph(Algorithm::qr, TileCounts::square(n), 8).edge_count(),
              tiled_graph(Algorithm::lu, TileCounts::square(n), 8).edge_count());
  }
}

TEST(TiledGraph, TsqrtDoesNotWaitForTheOrmqrsOfItsRow) {
  const TaskGraph graph = tiled_graph(Algorithm::qr, TileCounts::square(3), 8);
  std::map<std::string, TaskId, std::less<>> by_name;
  for (const TaskId task : graph.tasks()) by_name.emplace(graph.name(task), task);
  EXPECT_EQ(graph.predecessors(by_name.at("TSQRT(1,0)")).size(), 1U);
  EXPECT_EQ(graph.predecessors(by_name.at("TSQRT(1,0)"))[0], by_name.at("GEQRT(0,0)"));
  EXPECT_EQ(graph.predecessors(by_name.at("GEQRT(1,1)")).size(), 1U);
}

TEST(TiledGraph, GemmIsAChainPerTileOfC) {
  const TaskGraph graph = tiled_graph(Algorithm::gemm, {2, 3, 5}, 8);
  EXPECT_EQ(graph.task_count(), 30U);
  EXPECT_EQ(graph.edge_count(), 2U * 3 * 4);
  EXPECT_EQ(graph.data_count(), 2U * 5 + 5 * 3 + 2 * 3);
}

TEST(TiledGraph, FlatProductsNeedNoSquareTables) {
  const TaskGraph graph = tiled_graph(Algorithm::gemm, {1, 1, 65'535}, 8);
  EXPECT_EQ(graph.task_count(), 65'535U);
}

/// Who must run before whom, worked out without the builder: two tasks in submission order that access the same tile,
/// one of them writing, transitively.
std::vector<std::vector<bool>> conflict_closure(Algorithm algorithm, std::int32_t n) {
  std::vector<TileTask> tasks;
  visit_tasks(algorithm, TileCounts::square(n), [&](const TileTask& task) { tasks.push_back(task); });
  std::vector<std::vector<bool>> before(tasks.size(), std::vector<bool>(tasks.size(), false));
  for (std::size_t late = 0; late < tasks.size(); ++late) {
    for (std::size_t early = late; early-- > 0;) {
      bool conflict = false;
      for (const TileAccess& a : tasks[early].accesses()) {
        for (const TileAccess& b : tasks[late].accesses()) {
          conflict = conflict || (a.tile == b.tile && (a.mode != AccessMode::read || b.mode != AccessMode::read));
        }
      }
      if (!conflict) continue;
      before[early][late] = true;
      for (std::size_t x = 0; x < early; ++x) before[x][late] = before[x][late] || before[x][early];
    }
  }
  return before;
}

std::vector<std::vector<bool>> graph_closure(const TaskGraph& graph) {
  std::vector<std::vector<bool>> before(graph.task_count(), std::vector<bool>(graph.task_count(), false));
  for (const TaskId task : graph.tasks()) {
    for (const TaskId from : graph.predecessors(task)) {
      before[index(from)][index(task)] = true;
      for (std::size_t x = 0; x < index(from); ++x) {
        before[x][index(task)] = before[x][index(task)] || before[x][index(from)];
      }
    }
  }
  return before;
}

TEST(TiledGraph, OrdersExactlyTheTasksThatConflict) {
  for (const Algorithm algorithm : kAll) {
    for (std::int32_t n = 1; n <= 5; ++n) {
      EXPECT_EQ(graph_closure(tiled_graph(algorithm, TileCounts::square(n), 8)), conflict_closure(algorithm, n));
    }
  }
}

TEST(TiledGraph, TellsItsTilesApart) {
  const TaskGraph graph = tiled_graph(Algorithm::qr, TileCounts::square(2), 1234);
  std::vector<std::string> data;
  for (const Datum& datum : graph.data()) {
    data.push_back(datum.name);
    EXPECT_EQ(datum.bytes, 1234);
    EXPECT_EQ(datum.home, "ram");
  }
  EXPECT_EQ(data, (std::vector<std::string>{"A(0,0)", "V(0,0)", "A(0,1)", "A(1,0)", "A(1,1)", "V(1,1)"}));
}

}  // namespace
}  // namespace heddle::workload
