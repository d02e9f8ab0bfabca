#include "heddle/report/ready_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/report/samples.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::report {
namespace {

constexpr Time kHalf = kSecond / 2;

TEST(ReadyQueue, CountsNothingWhileEveryReadyTaskRuns) {
  EXPECT_EQ(ready_queue(test::diamond(), test::diamond_schedule()), (std::vector<QueueStep>{{0, 0}}));
}

TEST(ReadyQueue, CountsTasksThatWaitForAWorker) {
  Schedule schedule = test::diamond_schedule();
  // c starts only after b, in one attempt.
  schedule.attempts.erase(schedule.attempts.begin() + 1);
  schedule.attempts[2] = {make_id<TaskId>(2), make_id<WorkerId>(0), 3 * kHalf, 5 * kHalf, Outcome::completed};
  schedule.attempts[3] = {make_id<TaskId>(3), make_id<WorkerId>(2), 6 * kHalf, 7 * kHalf, Outcome::completed};
  EXPECT_EQ(ready_queue(test::diamond(), schedule),
            (std::vector<QueueStep>{{0, 0}, {kHalf, 1}, {3 * kHalf, 0}, {5 * kHalf, 1}, {6 * kHalf, 0}}));
}

TEST(ReadyQueue, CountsAnAbortedTaskUntilItRestarts) {
  Schedule schedule = test::diamond_schedule();
  schedule.attempts[1].end -= kHalf / 2;
  EXPECT_EQ(ready_queue(test::diamond(), schedule),
            (std::vector<QueueStep>{{0, 0}, {3 * kHalf / 2, 1}, {2 * kHalf, 0}}));
}

TEST(ReadyQueue, KeepsTasksThatAreNeverAttempted) {
  Schedule schedule = test::diamond_schedule();
  schedule.attempts.resize(1);
  EXPECT_EQ(ready_queue(test::diamond(), schedule), (std::vector<QueueStep>{{0, 0}, {kHalf, 2}}));
  schedule.attempts.clear();
  EXPECT_EQ(ready_queue(test::diamond(), schedule), (std::vector<QueueStep>{{0, 1}}));
}

/// The definition, word by word, at one instant.
std::int64_t depth_at(const Instance& instance, const Schedule& schedule, Time time) {
  const auto completed = [&](TaskId task) {
    return std::ranges::any_of(schedule.attempts, [&](const Attempt& a) {
      return a.task == task && a.outcome == Outcome::completed && a.end <= time;
    });
  };
  const auto runs = [&](TaskId task) {
    return std::ranges::any_of(schedule.attempts,
                               [&](const Attempt& a) { return a.task == task && a.start <= time && time < a.end; });
  };
  std::int64_t depth = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const bool released = std::ranges::all_of(instance.graph.predecessors(task), completed);
    if (released && !completed(task) && !runs(task)) ++depth;
  }
  return depth;
}

TEST(ReadyQueue, FollowsItsDefinitionOnRandomSchedules) {
  heddle::test::Random random(7);
  for (int round = 0; round < 100; ++round) {
    const Instance instance =
        heddle::test::random_instance(random, {.max_classes = 2, .zero_durations = false, .unrunnable = false});
    const Schedule schedule = test::greedy_schedule(instance, "greedy", 3);
    const std::vector<QueueStep> steps = ready_queue(instance, schedule);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].depth, depth_at(instance, schedule, steps[i].time));
      if (i == 0) continue;
      EXPECT_LT(steps[i - 1].time, steps[i].time);
      EXPECT_NE(steps[i - 1].depth, steps[i].depth);
      EXPECT_EQ(steps[i - 1].depth, depth_at(instance, schedule, steps[i].time - 1));
    }
  }
}

}  // namespace
}  // namespace heddle::report
