#include "heddle/bounds/windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/bounds/heads_and_tails.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

constexpr ClassId kFirst{0};

TEST(LeastInside, IsAllOfWhatCannotStickOut) {
  EXPECT_EQ(least_inside(10, 5, 7, {5, 7, kFirst}, 100), 10);
  EXPECT_EQ(least_inside(10, 9, 9, {5, 7, kFirst}, 12), 10);  // such a schedule is longer; the task is inside anyhow
}

TEST(LeastInside, LeavesOutWhatTheMarginsAllow) {
  EXPECT_EQ(least_inside(10, 2, 7, {5, 7, kFirst}, 100), 7);
  EXPECT_EQ(least_inside(10, 5, 3, {5, 7, kFirst}, 100), 6);
  EXPECT_EQ(least_inside(10, 2, 3, {5, 7, kFirst}, 100), 6);
  EXPECT_EQ(least_inside(2, 2, 3, {5, 7, kFirst}, 100), 0);
}

TEST(LeastInside, OfALongTaskIsTheWindow) {
  EXPECT_EQ(least_inside(90, 0, 0, {5, 7, kFirst}, 100), 83);
  EXPECT_EQ(least_inside(90, 0, 0, {5, 7, kFirst}, 50), 38);
  EXPECT_EQ(least_inside(90, 0, 0, {5, 7, kFirst}, 12), 0);
}

/// The least of all places where the task may run without interruption, in a schedule of that length.
Time least_by_trial(Time duration, Time head, Time tail, const ClassWindow& window, Time makespan) {
  Time least = duration;
  for (Time start = head; start + duration + tail <= makespan; ++start) {
    const Time inside = std::min(start + duration, makespan - window.tail) - std::max(start, window.head);
    least = std::min(least, std::max<Time>(inside, 0));
  }
  return least;
}

TEST(LeastInside, IsTheLeastOfAllPlacesInSchedulesThatAreAsLong) {
  test::Random random(1);
  int tight = 0;
  for (int i = 0; i < test::rounds(20000); ++i) {
    const auto number = [&](Time most) { return test::draw(random, 0, most); };
    const Time head = number(6), tail = number(6), duration = number(12);
    const Time known = head + tail + duration + number(5);
    const ClassWindow window{number(8), number(8), kFirst};
    const Time claimed = least_inside(duration, head, tail, window, known);
    for (Time makespan = std::max(known, window.head + window.tail); makespan < known + 25; ++makespan) {
      const Time least = least_by_trial(duration, head, tail, window, makespan);
      ASSERT_LE(claimed, least);
      tight += claimed == least;
    }
  }
  EXPECT_GT(tight, test::rounds(100000));
}

TEST(Windows, GroupsHaveEqualDurationsAndMargins) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    test::Random random(seed);
    const Instance instance = test::random_instance(random);
    const Windows windows(instance);
    const HeadsAndTails limits = heads_and_tails(instance);
    for (const TaskId a : instance.graph.tasks()) {
      for (const TaskId b : instance.graph.tasks()) {
        const bool alike = std::ranges::equal(instance.costs.actual_row(a), instance.costs.actual_row(b)) &&
                           limits.head[a] == limits.head[b] && limits.tail[a] == limits.tail[b];
        EXPECT_EQ(windows.groups().of[a] == windows.groups().of[b], alike);
      }
    }
  }
}

std::vector<Time> with_ends(const Instance& instance, const Table<TaskId, Time>& limit) {
  std::vector<Time> times(limit.begin(), limit.end());
  for (const TaskId task : limit.ids()) {
    times.push_back(limit[task] + std::ranges::min(instance.costs.actual_row(task)));
  }
  return times;
}

/// On instances small enough for the grid to hold every threshold nothing that is too full stays unseen.
TEST(Windows, TooFullMissesNothingOnSmallInstances) {
  for (std::uint64_t seed = 0; seed < test::rounds(200U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const Instance instance = test::random_instance(random, {.max_tasks = 15});
    const Windows windows(instance);
    const std::size_t classes = instance.platform.class_count();
    std::vector<double> shares(windows.groups().groups.size() * classes, 0.0);
    for (const TaskId task : instance.graph.tasks()) {
      const auto row = instance.costs.actual_row(task);
      const auto fastest = static_cast<std::size_t>(std::ranges::min_element(row) - row.begin());
      shares[windows.groups().of[task] * classes + fastest] += 1;
    }
    const Time known = test::draw(random, 1, 60);
    const HeadsAndTails limits = heads_and_tails(instance);
    double fullest = 0;
    const auto needed = [&](const ClassWindow& window) {
      const std::vector<Time> amounts = windows.amounts(window, known);
      double work = 0;
      for (std::size_t g = 0; g < amounts.size(); ++g) {
        work += shares[g * classes + index(window.on)] * static_cast<double>(amounts[g]);
      }
      return work / instance.platform.worker_count(window.on) + static_cast<double>(window.head + window.tail);
    };
    for (const ClassId on : instance.platform.classes()) {
      for (const Time head : with_ends(instance, limits.head)) {
        for (const Time tail : with_ends(instance, limits.tail)) {
          if (head + tail < known) fullest = std::max(fullest, needed({head, tail, on}));
        }
      }
    }
    const auto found = windows.too_full(shares, 0, known, 5);
    ASSERT_LE(found.size(), 5U);
    EXPECT_EQ(found.empty() ? 0 : needed(found.front()), fullest);
    EXPECT_TRUE(windows.too_full(shares, fullest, known, 5).empty());
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(needed(found[i - 1]), needed(found[i]));
  }
}

}  // namespace
}  // namespace heddle::bounds
