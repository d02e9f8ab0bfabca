// The scheduler stepped through: workers that wait for each other back off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/runtime/scheduling/scheduler.hpp"
#include "tests/runtime/dealer.hpp"
#include "tests/runtime/step_through.hpp"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Twice as long each time, and no longer than kLongest.
TEST(Scheduler, AWorkerThatMostlyWaitsForTheLockBackOffsLongerAndLonger) {
  Stepper run({.workers = "cpu=2", .policy = "eager"});
  run.submit_many(kEmpty, 100);
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  std::vector<Time> back_offs;
  for (int i = 0; i < 8; ++i) {
    ASSERT_THAT(run.execute(1, kBelieved, 2 * kBelieved), SizeIs(1)) << i;
    back_offs.push_back(run.backs_off(1));
    if (run.backs_off(1) == 0) continue;
    EXPECT_EQ(run.begin(1), 0U) << "it is given nothing meanwhile";
    run.pass(run.backs_off(1));
    run.look_around(1);
  }
  constexpr Time kFirst = BackOff::kFirst;
  EXPECT_THAT(back_offs, ElementsAre(0, kFirst, 2 * kFirst, 4 * kFirst, 8 * kFirst, BackOff::kLongest,
                                     BackOff::kLongest, BackOff::kLongest));
  run.execute(1, kBelieved, kBelieved);
  EXPECT_EQ(run.backs_off(1), 0) << "it has worked as long as it has waited";
  run.execute(1, kBelieved, 2 * kBelieved);
  EXPECT_EQ(run.backs_off(1), 0) << "once is not enough";
  run.execute(1, kBelieved, 2 * kBelieved);
  EXPECT_EQ(run.backs_off(1), BackOff::kLongest);
}

/// Another one would have to look at what comes: the one that is idle.
TEST(Scheduler, NoWorkerBacksOffWhileAnotherOneIsIdle) {
  int x = 0;
  Stepper run({.workers = "cpu=3", .policy = "eager"});
  Block* chain = run.datum(x);
  run.submit(kEmpty);
  for (int i = 0; i < 5; ++i) run.submit(kAddOneInt, {{chain, kReadWrite}});
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(run.execute(1, kBelieved, 2 * kBelieved), SizeIs(1));
    EXPECT_EQ(run.backs_off(1), 0);
  }
}

TEST(Scheduler, TheLastWorkerThatIsNotBusyDoesNotBackOff) {
  Stepper run({.workers = "cpu=2", .policy = "eager"});
  run.submit_many(kEmpty, 100);
  run.look_around(0);
  for (int i = 0; i < 3; ++i) {
    execute_both(run, kBelieved, 2 * kBelieved);
    EXPECT_TRUE(run.backs_off(0) == 0 || run.backs_off(1) == 0);
  }
  EXPECT_TRUE(run.backs_off(0) > 0 || run.backs_off(1) > 0);
}

/// No other worker can take its tasks: they are too long to be dealt anew.
TEST(Scheduler, ABackOffEndsWhenAWorkerIsIdleThoughThereAreTasks) {
  constexpr Time kSome = 10 * kMicrosecond;
  const auto seen = std::make_shared<Dealer::Seen>();
  Stepper run({.workers = "cpu=2", .decider = policy::Policy(Dealer(seen))});
  learn_duration(run, kSome);
  run.submit_many(kEmpty, 20);
  run.look_around(0);
  for (std::uint32_t i = 0; i < BackOff::kPatience; ++i) run.execute(1, kSome, 2 * kSome);
  EXPECT_EQ(run.backs_off(1), BackOff::kFirst);
  for (int i = 0; i < 9; ++i) {
    EXPECT_THAT(run.execute(0, kSome), SizeIs(1));
    EXPECT_EQ(run.worker(1).back_off.duration(), BackOff::kFirst);
  }
  EXPECT_THAT(run.execute(0, kSome), SizeIs(1)) << "its last one";
  EXPECT_EQ(run.worker(1).back_off.duration(), 0);
  EXPECT_EQ(seen->departures, 0);
  // It was missed: it has more patience now.
  for (std::uint32_t i = 1; i < BackOff::kPatience; ++i) {
    ASSERT_THAT(run.execute(1, kSome, 2 * kSome), SizeIs(1));
    EXPECT_EQ(run.backs_off(1), 0);
  }
}

/// A worker has to look at what is submitted meanwhile.
TEST(Scheduler, ABackOffEndsWhenTheWorkerThatWasToLookAroundHasALongTask) {
  Stepper run({.workers = "cpu=2", .policy = "eager"});
  run.submit_many(kEmpty, 100);
  run.look_around(0);
  for (std::uint32_t i = 0; i < BackOff::kPatience; ++i) run.execute(1, kBelieved, 2 * kBelieved);
  EXPECT_GT(run.backs_off(1), 0);
  EXPECT_EQ(run.begin(1), 0U);
  EXPECT_THAT(run.execute(0, kBelieved), SizeIs(1));
  EXPECT_EQ(run.worker(1).back_off.duration(), 0);
  EXPECT_NE(run.begin(1), 0U);
}

TEST(Scheduler, OthersDoTheShortTasksOfAWorkerThatBacksOff) {
  constexpr Time kLong = 100 * kShortTask * Worker::kMostInBatch;
  const auto seen = std::make_shared<Dealer::Seen>();
  Stepper run({.workers = "cpu=2", .decider = policy::Policy(Dealer(seen))});
  learn_duration(run, kShortTask);
  constexpr std::size_t kTasks = 400;
  run.submit_many(kEmpty, kTasks);
  run.look_around(0);
  std::size_t done = 0;
  for (std::uint32_t times = 0; times < BackOff::kPatience; ++times) {
    EXPECT_EQ(run.backs_off(1), 0) << times;
    const std::size_t now = run.execute(1, kShortTask, kLong).size();
    EXPECT_GT(now, 0U);
    done += now;
  }
  EXPECT_EQ(run.backs_off(1), BackOff::kFirst);
  EXPECT_THAT(run.execute(1, kShortTask), IsEmpty());

  // The other one does its own half, then what is left of the half of the one that backs off.
  std::size_t others = 0;
  while (run.progress().unfinished() > 0) {
    const std::size_t now = run.execute(0, kShortTask).size();
    ASSERT_GT(now, 0U);
    EXPECT_EQ(seen->departures, others + now < kTasks / 2 ? 0 : 1);
    others += now;
  }
  EXPECT_EQ(done + others, kTasks);
  EXPECT_EQ(seen->returns, 0);

  run.look_around(1);  // its back-off is over
  EXPECT_EQ(seen->returns, 1);
  run.submit_many(kEmpty, 2);
  run.look_around(0);
  EXPECT_THAT(run.execute(0, kShortTask), SizeIs(1));
  EXPECT_THAT(run.execute(1, kShortTask), SizeIs(1));
  EXPECT_EQ(run.progress().unfinished(), 0U);
  EXPECT_EQ(seen->departures, 1);
}

}  // namespace
}  // namespace heddle::runtime
