#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/bounds/bounds.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"

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
