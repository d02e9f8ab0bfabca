#include "heddle/bounds/slack.hpp"

#include <gtest/gtest.h>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/longest_paths.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

TEST(Slack, IsSharedInProportionToWhatTasksWant) {
  const Instance instance = test::sample_instance({1}, {{"x", {1}, {}}, {"x", {1}, {0}}});
  Table<TaskId, double> allowed(2, 1.0);
  Table<TaskId, double> wanted(2, 3.0);
  wanted[make_id<TaskId>(1)] = 7.0;
  share_slack(instance.graph, 6, wanted, allowed);
  EXPECT_NEAR(allowed[make_id<TaskId>(0)], 2, 1e-6);
  EXPECT_NEAR(allowed[make_id<TaskId>(1)], 4, 1e-6);
}

TEST(Slack, WantsAreMetWhereThereIsEnough) {
  const Instance instance = test::sample_instance({1}, {{"x", {1}, {}}, {"x", {1}, {0}}});
  Table<TaskId, double> allowed(2, 1.0);
  share_slack(instance.graph, 100, Table<TaskId, double>(2, 3.0), allowed);
  EXPECT_EQ(allowed, (Table<TaskId, double>(2, 3.0)));
}

TEST(Slack, NoPathPassesTheDeadline) {
  for (std::uint64_t seed = 0; seed < test::rounds(300U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Instance instance = test::random_instance(random);
    Table<TaskId, double> allowed(instance.graph.task_count());
    Table<TaskId, double> wanted(allowed.size());
    for (const TaskId task : allowed.ids()) {
      allowed[task] = static_cast<double>(test::draw(random, 0, 10));
      wanted[task] = static_cast<double>(test::draw(random, 0, 40));
    }
    const double deadline = LongestPaths(instance.graph, allowed).longest() + 10;
    share_slack(instance.graph, deadline, wanted, allowed);
    EXPECT_LE(LongestPaths(instance.graph, allowed).longest(), deadline * (1 + 1e-12));
  }
}

TEST(Slack, ASolutionIsFoundWhereTheCriticalPathRules) {
  // The two x must both be quick (on b); y has all the time in the world on a.
  const Instance instance =
      test::sample_instance({1, 1}, {{"x", {90, 10}, {}}, {"x", {90, 10}, {0}}, {"y", {15, 5}, {}}});
  const auto use = fit_within_slack(instance, 20);
  ASSERT_TRUE(use.has_value());
  EXPECT_LE((*use)[make_id<ClassId>(0)], 20);
  EXPECT_LE((*use)[make_id<ClassId>(1)], 20);
  EXPECT_GE((*use)[make_id<ClassId>(0)], 15 * 0.99);
}

TEST(Slack, NoSolutionIsFoundBelowTheBound) {
  for (std::uint64_t seed = 0; seed < test::rounds(1000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_duration = 1'000'000;
    const Instance instance = test::random_instance(random, shape);
    const double bound = static_cast<double>(iterative_bound(instance).value);
    EXPECT_EQ(fit_within_slack(instance, bound * 0.999).has_value(), bound == 0);
  }
}

/// Nor from durations that are drawn; those far too long are cut, those too short grow.
TEST(Slack, NoSolutionIsFoundBelowTheBoundFromAnyDurations) {
  for (std::uint64_t seed = 0; seed < test::rounds(1000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_duration = 1'000'000;
    const Instance instance = test::random_instance(random, shape);
    const double bound = static_cast<double>(iterative_bound(instance).value);
    Table<TaskId, double> durations(instance.graph.task_count());
    for (const TaskId task : durations.ids()) durations[task] = static_cast<double>(test::draw(random, 0, 1'500'000));
    EXPECT_EQ(fit_near(instance, bound * 0.999, durations).has_value(), bound == 0);
    EXPECT_TRUE(fit_near(instance, 1e9, durations).has_value());
  }
}

}  // namespace
}  // namespace heddle::bounds
