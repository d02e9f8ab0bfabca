#include <gtest/gtest.h>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/longest_paths.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

/// Shares that add up, on classes that can run the task, with paths and work that fit into the iterative bound.
void expect_solution(const Instance& instance) {
  const Shares shares = fractional_allocation(instance);
  const double room = static_cast<double>(iterative_bound(instance).value + 1) * (1 + 1e-6);
  Table<ClassId, double> work(instance.platform.class_count(), 0.0);
  for (const TaskId task : instance.graph.tasks()) {
    double sum = 0;
    for (const ClassId c : instance.platform.classes()) {
      sum += shares(task, c);
      EXPECT_GE(shares(task, c), 0);
      if (!instance.costs.can_run(task, c)) {
        EXPECT_EQ(shares(task, c), 0);
      } else {
        work[c] += shares(task, c) * static_cast<double>(instance.costs.actual(task, c));
      }
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  for (const ClassId c : work.ids()) EXPECT_LE(work[c], room * instance.platform.worker_count(c));
  const Table<TaskId, double> durations = shares.durations(instance);
  EXPECT_LE(LongestPaths(instance.graph, durations).longest(), room);
}

TEST(Allocation, SolvesTheIterativeBoundsProgram) {
  test::Random random(71);
  for (int round = 0; round < test::rounds(300); ++round) {
    expect_solution(test::random_instance(random, {.max_tasks = 60, .max_duration = round % 2 == 0 ? 20 : 1'000'000}));
  }
}

TEST(Allocation, SolvesItForTiledFactorizations) {
  for (const char* algorithm : {"cholesky", "lu", "qr"}) {
    for (const int tiles : {4, 12, 24}) {
      expect_solution(test::tiled_instance(algorithm, tiles, {{"cpu", 20}, {"gpu", 4}}));
    }
  }
}

TEST(Allocation, OfNoTasksIsEmpty) {
  test::Random random(72);
  Instance instance = test::random_instance(random);
  instance.graph = TaskGraphBuilder().build();
  instance.costs = Costs(instance.graph, instance.platform.class_count());
  EXPECT_EQ(fractional_allocation(instance).durations(instance).size(), 0U);
}

// A share is split only where the border between the classes falls into a group, or where a path is worth it.
TEST(Allocation, SplitsFewTasks) {
  const Instance instance = test::tiled_instance("cholesky", 32, {{"cpu", 20}, {"gpu", 4}});
  const Shares shares = fractional_allocation(instance);
  std::size_t split = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const double share = shares(task, make_id<ClassId>(0));
    if (share > 1e-9 && share < 1 - 1e-9) ++split;
  }
  EXPECT_LT(split, instance.graph.task_count() / 20);
}

}  // namespace
}  // namespace heddle::bounds
