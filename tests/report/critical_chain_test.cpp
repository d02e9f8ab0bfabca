#include "heddle/report/critical_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/report/samples.hpp"

namespace heddle::report {
namespace {

using Chain = std::vector<std::size_t>;

TEST(CriticalChain, GoesBackThroughPredecessorsAndBusyWorkers) {
  // d waited for b (which ended with c; the smaller number), b for a.
  EXPECT_EQ(critical_chain(test::diamond(), test::diamond_schedule()), (Chain{4, 2, 0}));
}

TEST(CriticalChain, BlamesTheWorkerWhenItWasFreeLast) {
  const Instance instance = test::diamond();
  Schedule schedule = test::diamond_schedule();
  schedule.attempts.erase(schedule.attempts.begin() + 1);
  const Time half = kSecond / 2;
  // Both b and c on the gpu: c waits for b's end though it was ready before.
  schedule.attempts[1] = {make_id<TaskId>(1), make_id<WorkerId>(2), half, 2 * half, Outcome::completed};
  EXPECT_EQ(critical_chain(instance, schedule), (Chain{3, 2, 1, 0}));
}

TEST(CriticalChain, IsEmptyWhenNothingCompleted) {
  Schedule schedule = test::diamond_schedule();
  for (Attempt& attempt : schedule.attempts) attempt.outcome = Outcome::failed;
  EXPECT_TRUE(critical_chain(test::diamond(), schedule).empty());
}

TEST(CriticalChain, EndsOnSchedulesThatWaitInACircle) {
  Schedule schedule = test::diamond_schedule();
  for (Attempt& attempt : schedule.attempts) attempt.start = attempt.end = 0;
  std::ranges::reverse(schedule.attempts);
  EXPECT_LE(critical_chain(test::diamond(), schedule).size(), schedule.attempts.size());
}

TEST(CriticalChain, OfAListScheduleHasNoGaps) {
  const Instance instance = test::cholesky(8);
  const Schedule schedule = test::greedy_schedule(instance, "greedy");
  const Chain chain = critical_chain(instance, schedule);
  EXPECT_EQ(schedule.attempts[chain.front()].end, schedule.makespan());
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    EXPECT_EQ(schedule.attempts[chain[i]].start, schedule.attempts[chain[i + 1]].end);
  }
  EXPECT_EQ(schedule.attempts[chain.back()].start, 0);
}

}  // namespace
}  // namespace heddle::report
