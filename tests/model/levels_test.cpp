#include "heddle/model/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heddle/model/error.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

TEST(BottomLevels, MinIsTheLongestPathOfFastestDurations) {
  Random random(71);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance instance = random_instance(random);
    const auto level = bottom_levels(instance, Rank::min);
    Time longest = 0;
    for (const TaskId task : instance.graph.tasks()) {
      Time below = 0;
      for (const TaskId next : instance.graph.successors(task)) below = std::max(below, level[next]);
      Time fastest = kMaxTime;
      for (const ClassId c : instance.platform.classes()) fastest = std::min(fastest, instance.costs.actual(task, c));
      EXPECT_EQ(level[task], below + fastest);
      longest = std::max(longest, level[task]);
    }
    EXPECT_EQ(critical_path(instance).length, longest);
  }
}

/// The mean over the workers, in floating point.
long double mean_weight(const Instance& instance, TaskId task) {
  long double sum = 0;
  long double workers = 0;
  for (const ClassId c : instance.platform.classes()) {
    if (!instance.costs.can_run(task, c)) continue;
    sum += static_cast<long double>(instance.costs.estimate(task, c)) * instance.platform.worker_count(c);
    workers += instance.platform.worker_count(c);
  }
  return sum / workers;
}

TEST(BottomLevels, AvgComparesLikeMeansOverTheWorkers) {
  Random random(72);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random);
    const auto level = bottom_levels(instance, Rank::avg);
    Table<TaskId, long double> plain(instance.graph.task_count());
    const auto order = instance.graph.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      long double below = 0;
      for (const TaskId next : instance.graph.successors(order[i])) below = std::max(below, plain[next]);
      plain[order[i]] = below + mean_weight(instance, order[i]);
    }
    for (const TaskId a : instance.graph.tasks()) {
      for (const TaskId b : instance.graph.tasks()) {
        if (plain[a] > plain[b] + 1e-9L) {
          EXPECT_GT(level[a], level[b]);
        } else if (std::fabs(plain[a] - plain[b]) < 1e-12L) {
          EXPECT_EQ(level[a], level[b]);
        }
      }
    }
  }
}

TEST(BottomLevels, AvgStillComparesWhereScaledMeansPass64Bits) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const TaskId a = builder.add_task("a", type);
  const TaskId b = builder.add_task("b", type);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  const auto set = [&](TaskId task, Time cpu, Time gpu) {
    const std::uint32_t row = costs.own_row(task);
    costs.set_actual(row, make_id<ClassId>(0), cpu);
    costs.set_actual(row, make_id<ClassId>(1), gpu);
  };
  const Time huge = kMaxTime / 64;
  set(a, huge, huge - 3);
  set(b, huge, kCannotRun);
  Platform platform({{.name = "cpu", .workers = 97}, {.name = "gpu", .workers = 101}});
  const Instance instance = make_instance("huge", std::move(graph), std::move(platform), std::move(costs));
  const auto level = bottom_levels(instance, Rank::avg);
  EXPECT_LT(level[a], level[b]);
}

TEST(CriticalPath, IsAChainOfItsLength) {
  Random random(73);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random);
    const CriticalPath path = critical_path(instance);
    Time length = 0;
    for (std::size_t i = 0; i < path.tasks.size(); ++i) {
      Time fastest = kMaxTime;
      for (const ClassId c : instance.platform.classes()) {
        fastest = std::min(fastest, instance.costs.actual(path.tasks[i], c));
      }
      length += fastest;
      if (i == 0) continue;
      const auto next = instance.graph.successors(path.tasks[i - 1]);
      EXPECT_NE(std::ranges::find(next, path.tasks[i]), next.end());
    }
    EXPECT_EQ(length, path.length);
  }
}

/// Sixteen classes with prime numbers of workers, which have no common multiple in 64 bits, and a type for each of
/// which is a task if `used`.
Instance unlike_classes(bool used) {
  std::vector<ResourceClass> classes;
  for (const std::uint32_t workers : {2U, 3U, 5U, 7U, 11U, 13U, 17U, 19U, 23U, 29U, 31U, 37U, 41U, 43U, 47U, 53U}) {
    classes.push_back({.name = "c" + std::to_string(workers) + "_", .workers = workers});
  }
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const TypeId type = builder.add_type(std::to_string(i));
    if (used || i == 0) builder.add_task(std::to_string(i), type);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    costs.set_actual(static_cast<std::uint32_t>(i), make_id<ClassId>(i), kSecond);
  }
  return make_instance("unlike", std::move(graph), Platform(std::move(classes)), std::move(costs));
}

TEST(BottomLevels, TypesWithoutTasksNeedNoDenominator) {
  EXPECT_EQ(bottom_levels(unlike_classes(false), Rank::avg).size(), 1U);
  EXPECT_THROW((void)bottom_levels(unlike_classes(true), Rank::avg), InputError);
}

}  // namespace
}  // namespace heddle::test
