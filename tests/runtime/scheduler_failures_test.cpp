// The scheduler stepped through: tasks that fail, are cancelled or aborted, and policies that break their protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/scheduling/scheduler.hpp"
#include "tests/runtime/step_through.hpp"

namespace heddle::runtime {
namespace {

const Kernel kThrow("throw", on_cpu([](int&) { throw std::runtime_error("the kernel fails"); }));

std::string sentence_of(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return "";
}

TEST(Scheduler, WhatDependsOnAFailureIsDroppedAndNothingElse) {
  Stepper run({.workers = "cpu=1", .policy = "eager"});
  int x = 3;
  int y = 4;
  int z = 5;
  Block* a = run.datum(x);
  Block* b = run.datum(y);
  Block* c = run.datum(z);
  Scheduler& scheduler = run.scheduler();
  run.submit(kThrow, {{a, kReadWrite}});
  run.submit(kCopyInt, {{a, kRead}, {b, kWrite}});
  run.submit(kSumInts, {{b, kRead}, {c, kRead}, {a, kWrite}});
  run.submit(kAddOneInt, {{c, kReadWrite}});
  run.look_around(0);
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{1});
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{4});
  EXPECT_EQ(run.progress().unfinished(), 0U);
  EXPECT_EQ(y, 4);
  EXPECT_EQ(z, 6);
  for (const std::uint64_t dropped : {1U, 2U, 3U})
    EXPECT_EQ(sentence_of(scheduler.failure_of(dropped)), "task 'throw#1': the kernel fails") << dropped;
  EXPECT_EQ(scheduler.failure_of(4), nullptr);

  // The datum has no valid value, until a task writes it.
  run.submit(kCopyInt, {{a, kRead}, {c, kWrite}});
  run.submit(kPutOneInt, {{a, kWrite}});
  run.submit(kCopyInt, {{a, kRead}, {c, kWrite}});
  run.look_around(0);
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{6});
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{7});
  EXPECT_NE(scheduler.failure_of(5), nullptr);
  EXPECT_EQ(z, 1);

  // Or until the failure was told, which happens once.
  run.submit(kCopyInt, {{b, kRead}, {c, kWrite}});
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 0U);
  EXPECT_EQ(sentence_of(scheduler.take_failure()), "task 'throw#1': the kernel fails");
  EXPECT_EQ(scheduler.take_failure(), nullptr);
  run.submit(kThrow, {{a, kReadWrite}});
  run.submit(kCopyInt, {{b, kRead}, {c, kWrite}});
  run.look_around(0);
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{9});
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{10}) << "another failure does not concern it";
  EXPECT_EQ(z, 4);
}

TEST(Scheduler, TheFailureThatIsToldIsTheOneThatCameFirst) {
  Stepper run({.workers = "cpu=2", .policy = "eager"});
  int x = 0;
  int y = 0;
  run.submit(kThrow, {{run.datum(x), kReadWrite}});
  run.submit(kThrow, {{run.datum(y), kReadWrite}});
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  EXPECT_EQ(run.begin(1), 2U);
  run.end(1), run.end(0);
  EXPECT_EQ(sentence_of(run.scheduler().take_failure()), "task 'throw#2': the kernel fails");
  EXPECT_EQ(sentence_of(run.scheduler().failure_of(1)), "task 'throw#1': the kernel fails");
}

TEST(Scheduler, WhatHasNotBegunIsCancelled) {
  Stepper run({.workers = "cpu=1", .policy = "eager"});
  int x = 0;
  Block* a = run.datum(x);
  run.submit_many(kEmpty, 1);
  for (int i = 0; i < 2; ++i) run.submit(kAddOneInt, {{a, kReadWrite}});
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  run.scheduler().cancel();
  run.end(0);
  EXPECT_EQ(run.begin(0), 0U);
  EXPECT_EQ(run.progress().unfinished(), 0U);
  EXPECT_EQ(x, 0);
  EXPECT_EQ(run.scheduler().failure_of(1), nullptr);
  EXPECT_EQ(sentence_of(run.scheduler().take_failure()), "task 'add#2': the task was cancelled");
  run.submit(kAddOneInt, {{a, kReadWrite}});
  run.look_around(0);
  run.execute(0, kBelieved);
  EXPECT_EQ(x, 1);
}

/// Its worker is busy until the kernel returns, and what that wrote does not count.
TEST(Scheduler, AnAttemptThatIsAbortedLeavesNothing) {
  for (const bool restarts : {true, false}) {
    OrderedRun ordered;
    Stepper& run = ordered.run;
    Scheduler& scheduler = run.scheduler();
    int x = 5;
    run.submit(kAddOneInt, {{run.datum(x), kReadWrite}});
    run.submit(kEmpty);
    ordered.order({policy::run(TaskId{0}, kWorker0)});
    run.look_around(0);
    EXPECT_EQ(run.begin(0), 1U);
    if (restarts) {
      ordered.order({policy::restart(TaskId{0}, kWorker1)});
    } else {
      ordered.order({policy::preempt(TaskId{0}), policy::run(TaskId{0}, kWorker1)});
    }
    run.look_around(1);
    EXPECT_EQ(scheduler.zombies(), 1U);
    EXPECT_EQ(run.worker(0).given.size(), 1U);
    EXPECT_EQ(run.begin(1), 1U);
    run.pass(kBelieved);
    run.end(1);
    EXPECT_EQ(run.progress().unfinished(), 1U);
    ordered.order({policy::run(TaskId{1}, kWorker0)});
    run.end(0);
    EXPECT_EQ(scheduler.zombies(), 0U);
    EXPECT_EQ(run.begin(0), 2U) << "it is free again";
    run.end(0);
    run.bring_home();
    EXPECT_EQ(x, 6);
  }
}

TEST(Scheduler, APolicyThatBreaksItsProtocolIsToldWhatItDid) {
  const std::vector<std::pair<std::vector<policy::Action>, std::string>> wrong{
      {{policy::run(TaskId{1}, kWorker0)}, "a task of type 'add' on worker 'cpu0' at 0.0 s: the task is not ready"},
      {{policy::run(TaskId{0}, kWorker0), policy::run(TaskId{2}, kWorker0)}, "the worker is not idle"},
      {{policy::run(TaskId{3}, kWorker0)}, "there is no such task"},
      {{policy::run(TaskId{0}, WorkerId{2})}, "there is no such worker"},
      {{policy::restart(TaskId{0}, kWorker1)}, "the task is not running"},
      {std::vector(10'000, policy::prefetch(TaskId{0}, kWorker0)), "does not stop acting within one instant"}};
  for (const auto& [actions, reason] : wrong) {
    OrderedRun ordered;
    Stepper& run = ordered.run;
    int x = 0;
    Block* a = run.datum(x);
    for (int i = 0; i < 2; ++i) run.submit(kAddOneInt, {{a, kReadWrite}});
    run.submit(kEmpty);
    ordered.policy.orders->actions.assign(actions.begin(), actions.end());
    try {
      run.look_around(0);
      ADD_FAILURE() << reason;
    } catch (const InternalError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(reason));
    }
  }
}

}  // namespace
}  // namespace heddle::runtime
