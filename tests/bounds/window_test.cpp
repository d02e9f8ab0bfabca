#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/bounds/bounds.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

using test::sample_instance;

/// One task, then four at once on two workers, then one: nothing but a window sees that the ends are idle.
TEST(Window, KnowsThatSchedulesStartAndEndWithFewTasks) {
  std::vector<test::SampleTask> tasks{{"first", {10}, {}}};
  for (int i = 0; i < 4; ++i) tasks.push_back({"middle", {8}, {0}});
  tasks.push_back({"last", {6}, {1, 2, 3, 4}});
  const Instance instance = sample_instance({2}, tasks);
  EXPECT_EQ(iterative_bound(instance).value, 24);
  const Bound bound = window_bound(instance);
  EXPECT_EQ(bound.value, 32);
  EXPECT_EQ(bound.value, test::optimal_makespan(instance));
  EXPECT_TRUE(bound.exact);
  EXPECT_EQ(bound.windows, (std::vector<ClassWindow>{{10, 6, ClassId{0}}}));
}

TEST(Window, CountsWhatCannotBeOutsideOfATaskThatSticksOut) {
  // The two long ones need not wait for the first, but most of each is after it: (10 + 20 + 20 + 3 x 12) / 2 < 45.
  std::vector<test::SampleTask> tasks{{"first", {10}, {}}, {"long", {20}, {}}, {"long", {20}, {}}};
  for (int i = 0; i < 3; ++i) tasks.push_back({"next", {12}, {0}});
  const Instance instance = sample_instance({2}, tasks);
  const Time window = window_bound(instance).value;
  EXPECT_EQ(iterative_bound(instance).value, 43);
  EXPECT_GE(window, 43);
  EXPECT_LE(window, test::optimal_makespan(instance));
}

TEST(Window, AnEmptyGraphTakesNoTime) {
  const Bound bound = window_bound(sample_instance({2, 1}, {}));
  EXPECT_EQ(bound.value, 0);
  EXPECT_TRUE(bound.exact);
}

/// At most 7 tasks in two or three layers, of which the second is the widest: where windows matter.
Instance narrow_ends(test::Random& random) {
  const auto number = [&](std::int64_t low, std::int64_t high) { return test::draw(random, low, high); };
  const std::size_t classes = static_cast<std::size_t>(number(1, 3));
  std::vector<std::uint32_t> workers;
  for (std::size_t c = 0; c < classes; ++c) workers.push_back(static_cast<std::uint32_t>(number(1, 2)));
  std::vector<test::SampleTask> tasks;
  std::vector<std::size_t> before;
  for (const std::int64_t width : {number(1, 2), number(2, 4), number(0, 1)}) {
    std::vector<std::size_t> layer;
    for (std::int64_t i = 0; i < width; ++i) {
      std::vector<Time> durations;
      for (std::size_t c = 0; c < classes; ++c)
        durations.push_back(number(0, 9) == 0 ? kCannotRun : number(number(0, 3), 12));
      if (std::ranges::count(durations, kCannotRun) == std::ssize(durations)) durations[0] = number(1, 12);
      std::vector<std::size_t> after;
      for (const std::size_t task : before) {
        if (number(0, 7) > 0) after.push_back(task);
      }
      layer.push_back(tasks.size());
      tasks.push_back({"x", durations, after});
    }
    if (!layer.empty()) before = layer;
  }
  return sample_instance(workers, tasks);
}

/// Thousands of small instances of one to three classes, some of whose tasks some classes cannot run, some of no
/// duration.
TEST(Window, NeverPassesTheOptimum) {
  int met = 0;
  int tighter = 0;
  for (std::uint64_t seed = 0; seed < test::rounds(6000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_tasks = 6;
    shape.max_workers = 2;
    const Instance instance = seed % 3 == 0 ? test::random_instance(random, shape) : narrow_ends(random);
    const Bound iterative = iterative_bound(instance);
    const Bound window = window_bound(instance, {}, iterative);
    const Time optimum = test::optimal_makespan(instance);
    ASSERT_LE(window.value, optimum);
    ASSERT_GE(window.value, iterative.value);
    met += window.value == optimum;
    tighter += window.value > iterative.value;
  }
  EXPECT_GT(met, test::rounds(2700));
  EXPECT_GT(tighter, test::rounds(400));
}

/// How much of the gap it closes on Kumar's durations may not get worse unnoticed; values as in docs/results.md.
TEST(Window, IsTighterOnTiledFactorizations) {
  const auto ratio = [](const char* algorithm, int tiles, std::uint32_t cpus, std::uint32_t gpus) {
    const Instance instance = test::tiled_instance(algorithm, tiles, {{"cpu", cpus}, {"gpu", gpus}});
    const Bound iterative = iterative_bound(instance);
    return static_cast<double>(window_bound(instance, {}, iterative).value) / static_cast<double>(iterative.value);
  };
  EXPECT_GT(ratio("cholesky", 12, 20, 4), 1.080);
  EXPECT_GT(ratio("lu", 8, 9, 3), 1.085);
  EXPECT_GT(ratio("qr", 12, 20, 4), 1.059);
}

TEST(Window, OutOfTimeItIsAWeakerBound) {
  const Instance instance = test::tiled_instance("cholesky", 16, {{"cpu", 20}, {"gpu", 4}});
  const Bound whole = window_bound(instance);
  for (double seconds = 1e-4; seconds < 0.1; seconds *= 2) {
    const Bound bound = window_bound(instance, {.seconds = seconds});
    EXPECT_LE(bound.value, whole.value + whole.value / 100000);
    EXPECT_GE(bound.value, area_bound(instance).value);
  }
  const Bound hasty = window_bound(instance, {.seconds = 0.0});
  EXPECT_TRUE(hasty.out_of_time && !hasty.exact);
}

}  // namespace
}  // namespace heddle::bounds
