#include "heddle/search/time_windows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heddle/search/search.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/search/samples.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

const TimeWindows::Stop kNever = [] { return false; };

/// A problem and the windows of schedules that end by a deadline.
struct Windows {
  Windows(const Instance& instance, Time deadline) : problem(instance), duals(problem, 1000), windows(problem, duals) {
    open = windows.tighten(deadline, kNever);
  }
  ExactProblem problem;
  Duals duals;
  TimeWindows windows;
  bool open;
};

// A task of 2, then one of 3 and one of 4 at once, then one of 5, on two workers.
TEST(TimeWindows, FollowPaths) {
  const Instance instance =
      test::sample_instance({2}, {{"x", {2}, {}}, {"y", {3}, {0}}, {"z", {4}, {0}}, {"u", {5}, {1, 2}}});
  EXPECT_FALSE(Windows(instance, 10).open);
  const Windows at(instance, 11);
  ASSERT_TRUE(at.open);
  const std::map<std::size_t, std::pair<Time, Time>> expected{{0, {0, 9}}, {1, {2, 5}}, {2, {2, 5}}, {3, {6, 0}}};
  for (ExactProblem::Task task = 0; task < 4; ++task) {
    const auto [head, tail] = expected.at(index(at.problem.id(task)));
    EXPECT_EQ(at.windows.head(task), head) << task;
    EXPECT_EQ(at.windows.tail(task), tail) << task;
  }
}

// Two tasks of 3 before one of 2 before two of 3, on one worker.
TEST(TimeWindows, CountWorkBeforeAndBehind) {
  const Instance instance = test::sample_instance(
      {1}, {{"x", {3}, {}}, {"x", {3}, {}}, {"y", {2}, {0, 1}}, {"x", {3}, {2}}, {"x", {3}, {2}}});
  EXPECT_FALSE(Windows(instance, 13).open);
  const Windows at(instance, 14);
  ASSERT_TRUE(at.open);
  EXPECT_EQ(at.windows.head(2), 6);
  EXPECT_EQ(at.windows.tail(2), 6);
  EXPECT_EQ(at.windows.head(4), 8);
  EXPECT_EQ(at.windows.tail(0), 8);
}

TEST(TimeWindows, TakeAwayClassesThatTakeTooLong) {
  const Instance instance = test::sample_instance({1, 1}, {{"x", {3, 9}, {}}, {"y", {4, 4}, {0}}});
  const Windows at(instance, 12);
  ASSERT_TRUE(at.open);
  EXPECT_TRUE(at.windows.allowed(0, 0));
  EXPECT_FALSE(at.windows.allowed(0, 1));
  EXPECT_TRUE(at.windows.allowed(1, 1));
  EXPECT_EQ(at.windows.shortest(0), 3);
}

/// What holds for every schedule that ends in time holds for a shortest one; shaving finds more than tightening does.
TEST(TimeWindows, HoldForAShortestSchedule) {
  test::Random random(5);
  std::size_t shaved = 0;
  for (int round = 0; round < test::rounds(1000); ++round) {
    const Instance instance = test::random_instance(random, {.max_tasks = 8, .max_classes = 2, .max_workers = 2});
    const Schedule shortest = prove(instance, some_schedule(instance), 0).schedule;
    const Time deadline = shortest.makespan();
    Windows at(instance, deadline);
    ASSERT_TRUE(at.open);
    TimeWindows narrower = at.windows;
    ASSERT_TRUE(narrower.shave(deadline, kNever));
    TimeWindows again = narrower;
    ASSERT_TRUE(again.shave(deadline, kNever));
    std::map<TaskId, Attempt> attempts;
    for (const Attempt& attempt : shortest.attempts) attempts[attempt.task] = attempt;
    for (ExactProblem::Task task = 0; task < at.problem.task_count(); ++task) {
      const Attempt& attempt = attempts.at(at.problem.id(task));
      EXPECT_GE(attempt.start, narrower.head(task));
      EXPECT_LE(attempt.end, deadline - narrower.tail(task));
      EXPECT_GE(narrower.head(task), at.windows.head(task));
      EXPECT_GE(narrower.tail(task), at.windows.tail(task));
      for (ExactProblem::Class c = 0; c < at.problem.class_count(); ++c) {
        if (at.problem.class_id(c) == instance.platform.class_of(attempt.worker)) {
          EXPECT_TRUE(narrower.allowed(task, c));
        }
        if (at.windows.allowed(task, c) && !narrower.allowed(task, c)) ++shaved;
        EXPECT_EQ(again.allowed(task, c), narrower.allowed(task, c)) << "it goes on as long as it finds something";
      }
    }
  }
  EXPECT_GT(shaved, test::rounds(100U));
}

}  // namespace
}  // namespace heddle::search
