#include "heddle/bounds/heads_and_tails.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

TEST(HeadsAndTails, AreTheLongestPathsBeforeAndAfter) {
  const Instance instance = test::sample_instance(
      {1, 1}, {{"x", {5, 9}, {}}, {"y", {7, 2}, {}}, {"z", {kCannotRun, 1}, {0, 1}}, {"w", {3, 3}, {2}}});
  const HeadsAndTails found = heads_and_tails(instance);
  EXPECT_TRUE(std::ranges::equal(found.head, std::vector<Time>{0, 0, 5, 6}));
  EXPECT_TRUE(std::ranges::equal(found.tail, std::vector<Time>{4, 4, 3, 0}));
}

/// Three phases of four tasks on two workers, a join after each.
Instance phases() {
  std::vector<test::SampleTask> tasks;
  std::vector<std::size_t> join;
  for (int phase = 0; phase < 3; ++phase) {
    std::vector<std::size_t> wide;
    for (int i = 0; i < 4; ++i) {
      wide.push_back(tasks.size());
      tasks.push_back({"wide", {6}, join});
    }
    join = {tasks.size()};
    tasks.push_back({"join", {5}, wide});
  }
  return test::sample_instance({2}, tasks);
}

TEST(HeadsAndTails, OfAJoinKnowTheWorkBeforeIt) {
  const HeadsAndTails found = heads_and_tails(phases());
  EXPECT_EQ(found.head[make_id<TaskId>(4)], 12);
  EXPECT_EQ(found.head[make_id<TaskId>(5)], 17);
  EXPECT_EQ(found.head[make_id<TaskId>(14)], 46);
  EXPECT_EQ(found.tail[make_id<TaskId>(4)], 34);  // joins are forks from the other end
  EXPECT_EQ(found.tail[make_id<TaskId>(0)], 39);
}

TEST(Window, AddsUpThePhasesOfAForkJoin) {
  const Instance instance = phases();
  EXPECT_EQ(iterative_bound(instance).value, 43);  // all work on two workers
  EXPECT_EQ(window_bound(instance).value, 51);
}

/// Heads and tails hold in every schedule: what lies before a task, or after it, alone takes that long.
TEST(HeadsAndTails, AreNoLongerThanTheBestScheduleOfAncestors) {
  int wide = 0;
  for (std::uint64_t seed = 0; seed < test::rounds(1500U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const auto number = [&](std::int64_t low, std::int64_t high) { return test::draw(random, low, high); };
    std::vector<std::uint32_t> workers{1};
    if (number(0, 1) == 1) workers.push_back(1);
    const auto durations = [&] {
      std::vector<Time> times;
      for (std::size_t c = 0; c < workers.size(); ++c) times.push_back(number(0, 9));
      return times;
    };
    std::vector<test::SampleTask> tasks;
    std::vector<std::size_t> before;
    for (std::size_t i = 0; i < 5; ++i) {
      std::vector<std::size_t> after;
      if (i > 0 && number(0, 1) == 1) after.push_back(i - 1);
      tasks.push_back({"x", durations(), after});
      before.push_back(i);
    }
    const Instance alone = test::sample_instance(workers, tasks);
    tasks.push_back({"join", durations(), before});
    const Instance instance = test::sample_instance(workers, tasks);
    const HeadsAndTails found = heads_and_tails(instance);
    const Time optimum = test::optimal_makespan(alone);
    ASSERT_LE(found.head[make_id<TaskId>(5)], optimum);
    wide += found.head[make_id<TaskId>(5)] > critical_path_bound(alone).value;
  }
  EXPECT_GT(wide, test::rounds(300));
}

}  // namespace
}  // namespace heddle::bounds
