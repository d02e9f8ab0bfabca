#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

using test::sample_instance;

std::vector<test::ClassSize> twenty_and_four() {
  return {{"cpu", 20}, {"gpu", 4}};
}

TEST(Iterative, WeighsAPathOfAnyTypesAgainstTheArea) {
  // As in Mixed.WeighsAChainAgainstTheArea, but no type has a second task.
  std::vector<test::SampleTask> tasks{{"x", {10, 4}, {}}, {"z", {10, 4}, {0}}};
  for (int i = 0; i < 10; ++i) tasks.push_back({"y" + std::to_string(i), {kCannotRun, 1}, {}});
  const Instance instance = sample_instance({1, 1}, tasks);
  EXPECT_FALSE(mixed_bound(instance).has_value());
  const Bound bound = iterative_bound(instance);
  EXPECT_TRUE(bound.exact);
  EXPECT_NEAR(static_cast<double>(bound.value), 14, 1);
  EXPECT_LE(bound.value, 14);
  EXPECT_EQ(bound.path, (std::vector<TaskId>{make_id<TaskId>(0), make_id<TaskId>(1)}));
}

TEST(Iterative, AnEmptyGraphTakesNoTime) {
  const Bound bound = iterative_bound(sample_instance({2, 1}, {}));
  EXPECT_EQ(bound.value, 0);
  EXPECT_TRUE(bound.exact);
  EXPECT_TRUE(bound.path.empty());
}

TEST(Iterative, TasksWithoutDurationAreFree) {
  const Bound bound = iterative_bound(sample_instance({1, 1}, {{"x", {0, 0}, {}}, {"x", {0, 0}, {0}}}));
  EXPECT_EQ(bound.value, 0);
  EXPECT_TRUE(bound.exact);
}

TEST(Iterative, ACriticalPathThatRulesIsTheBound) {
  const Instance instance = test::tiled_instance("cholesky", 8, twenty_and_four());
  const Bound bound = iterative_bound(instance);
  EXPECT_TRUE(bound.exact);
  EXPECT_EQ(bound.value, critical_path_bound(instance).value);
}

// Of two equal bounds the area is kept: it names the classes that are always busy.
TEST(Iterative, AnAreaAsLongAsTheCriticalPathIsTheBound) {
  const Instance instance = sample_instance({1}, {{"x", {3}, {}}, {"y", {4}, {0}}});
  EXPECT_EQ(critical_path_bound(instance).value, 7);
  EXPECT_EQ(area_bound(instance).value, 7);
  const Bound bound = iterative_bound(instance);
  EXPECT_EQ(bound.value, 7);
  EXPECT_TRUE(bound.path.empty());
  EXPECT_EQ(bound.full_classes.size(), 1U);
}

TEST(Iterative, AnAreaThatRulesIsTheBound) {
  const Instance instance = test::tiled_instance("lu", 24, twenty_and_four());
  const Bound bound = iterative_bound(instance);
  EXPECT_TRUE(bound.exact);
  EXPECT_EQ(bound.value, area_bound(instance).value);
  EXPECT_EQ(bound.full_classes.size(), 2U);
}

/// The class use is that of a solution: no class works longer than the bound allows, beyond the tolerance.
TEST(Iterative, ItsClassUseFitsIntoTheBound) {
  for (const char* algorithm : {"cholesky", "lu", "qr"}) {
    const Instance instance = test::tiled_instance(algorithm, 12, twenty_and_four());
    const Bound bound = iterative_bound(instance);
    for (const ClassId c : instance.platform.classes()) {
      const double room = static_cast<double>(bound.value) * instance.platform.worker_count(c);
      EXPECT_LE(bound.use[c], room * (1 + 1e-6));
    }
    for (const ClassId c : bound.full_classes) {
      const double room = static_cast<double>(bound.value) * instance.platform.worker_count(c);
      EXPECT_GE(bound.use[c], room * (1 - 1e-6));
    }
  }
}

/// Durations from a picosecond to 10,000 s, and the same graph with every edge turned round, whose bound is the same.
std::pair<Instance, Instance> extreme_instances(test::Random& random) {
  constexpr std::size_t kTasks = 50;
  constexpr std::size_t kReach = 12;
  std::vector<test::SampleTask> forth(kTasks);
  std::vector<test::SampleTask> back(kTasks);
  for (std::size_t i = 0; i < kTasks; ++i) {
    forth[i].type = "x";
    for (int c = 0; c < 3; ++c) {
      Time most = 1;
      for (std::int64_t digits = test::draw(random, 0, 16); digits > 0; --digits) most *= 10;
      forth[i].durations.push_back(test::draw(random, 1, std::min(10 * most, 10'000 * kSecond)));
    }
    back[kTasks - 1 - i] = forth[i];
  }
  for (std::size_t i = 0; i < kTasks; ++i) {
    for (std::size_t before = i - std::min(i, kReach); before < i; ++before) {
      if (test::draw(random, 0, 9) > 0) continue;
      forth[i].after.push_back(before);
      back[kTasks - 1 - before].after.push_back(kTasks - 1 - i);
    }
  }
  const std::vector<std::uint32_t> workers{3, 2, 1};
  return {test::sample_instance(workers, forth), test::sample_instance(workers, back)};
}

TEST(Iterative, IsExactAtExtremeRatiosOfDurations) {
  test::Random random(1);
  for (int round = 0; round < test::rounds(100); ++round) {
    const auto [forth, back] = extreme_instances(random);
    const Bound bound = iterative_bound(forth);
    const Bound other = iterative_bound(back);
    EXPECT_TRUE(bound.exact && other.exact) << "round " << round;
    EXPECT_NEAR(static_cast<double>(bound.value), static_cast<double>(other.value),
                2e-6 * static_cast<double>(bound.value))
        << "round " << round;
  }
}

TEST(Iterative, ItsPathIsAPathOfTheGraph) {
  const Instance instance = test::tiled_instance("cholesky", 16, twenty_and_four());
  const Bound bound = iterative_bound(instance);
  ASSERT_GE(bound.path.size(), 2U);
  for (std::size_t i = 1; i < bound.path.size(); ++i) {
    const auto successors = instance.graph.successors(bound.path[i - 1]);
    EXPECT_NE(std::ranges::find(successors, bound.path[i]), successors.end());
  }
}

TEST(Iterative, OutOfTimeItIsAWeakerBound) {
  const Instance instance = test::tiled_instance("cholesky", 16, twenty_and_four());
  const Bound bound = iterative_bound(instance, {.seconds = 0.0});
  EXPECT_FALSE(bound.exact);
  EXPECT_TRUE(bound.out_of_time);
  EXPECT_GE(bound.value, area_bound(instance).value);
  EXPECT_GE(bound.value, critical_path_bound(instance).value);
  EXPECT_LT(bound.value, iterative_bound(instance).value);
}

TEST(Iterative, TimeMayEndAnywhere) {
  const Instance instance = test::tiled_instance("cholesky", 16, {{"cpu", 60}, {"gpu", 12}});
  const Time exact = iterative_bound(instance).value;
  for (double seconds = 1e-4; seconds < 0.02; seconds *= 1.5) {
    const Bound bound = iterative_bound(instance, {.seconds = seconds});
    EXPECT_LE(bound.value, exact + 1);
    EXPECT_GE(bound.value, area_bound(instance).value);
  }
}

}  // namespace
}  // namespace heddle::bounds
