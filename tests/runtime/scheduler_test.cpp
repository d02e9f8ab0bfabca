// The scheduler stepped through without the engine's threads: whom it gives what, the data that it has moved, and what
// it does about tasks that overrun.
#include "heddle/runtime/scheduling/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "heddle/model/validate.hpp"
#include "tests/runtime/step_through.hpp"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Scheduler, TellsThePolicyWhatHappensInOrder) {
  ToldEager told;
  Stepper& run = told.run;
  int values[4] = {};
  std::vector<Block*> data;
  for (int& value : values) data.push_back(run.datum(value));
  run.submit(kPutOneInt, {{data[0], kWrite}});
  run.submit(kCopyInt, {{data[0], kRead}, {data[1], kWrite}});
  run.submit(kCopyInt, {{data[0], kRead}, {data[2], kWrite}});
  run.submit(kSumInts, {{data[1], kRead}, {data[2], kRead}, {data[3], kWrite}});

  run.look_around(0);
  EXPECT_THAT(told.take_log(), ElementsAre("start 4", "ready 0", "started 0 on 0"));
  EXPECT_EQ(run.begin(0), 1U);
  EXPECT_EQ(run.begin(1), 0U);
  run.pass(kBelieved);
  run.end(0);
  EXPECT_THAT(told.take_log(), ElementsAre("finished 0 on 0", "ready 1", "ready 2", "started 1 on 0", "started 2 on 1"))
      << "one goes to the worker itself, the other one to an idle worker";
  EXPECT_EQ(run.begin(0), 2U);
  EXPECT_EQ(run.begin(1), 3U);
  run.pass(kBelieved);
  run.end(1);
  EXPECT_THAT(told.take_log(), ElementsAre("finished 2 on 1"));
  run.end(0);
  EXPECT_THAT(told.take_log(), ElementsAre("finished 1 on 0", "ready 3", "started 3 on 0"));
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{4});
  EXPECT_THAT(told.take_log(), ElementsAre("finished 3 on 0"));
  EXPECT_EQ(run.progress().unfinished(), 0U);
  run.bring_home();
  EXPECT_EQ(values[3], 2);
}

/// The epoch of recorded tasks is kept, and knows the same contexts, but not that a worker was away in between.
TEST(Scheduler, RecordedTasksAreOnWorkersThatAreBack) {
  Stepper run({.workers = "cpu=2", .trace = true});
  run.set_contexts("a:cpu=2:eager");
  const ContextId a{0};
  const auto recording = run.record_many(kEmpty, 2, a);
  const auto execute_recorded = [&] {
    EXPECT_NE(run.begin(0), 0U);
    run.look_around(1);
    EXPECT_NE(run.begin(1), 0U);
    run.pass(kBelieved);
    run.end(0);
    run.end(1);
  };
  for (int i = 0; i < 3; ++i) {
    run.run(recording);
    run.look_around(0);
    execute_recorded();
  }
  const auto epoch = recording->epoch;
  run.submit(kEmpty, {}, {}, a);
  run.look_around(0);
  EXPECT_NE(run.begin(0), 0U);
  run.remove_worker(a, "cpu1");
  run.pass(kBelieved);
  run.look_around(1);
  run.add_worker(a, "cpu1");
  run.run(recording);
  run.pass(kBelieved);
  run.end(0);
  execute_recorded();
  EXPECT_EQ(run.progress().unfinished(), 0U);
  EXPECT_EQ(recording->epoch, epoch);
  const Trace trace = run.scheduler().trace(0);
  EXPECT_EQ(trace.schedule.moves.size(), 2U);
  EXPECT_EQ(validate(trace.instance, trace.schedule, Durations::exact), std::vector<std::string>());
}

/// As many as last two microseconds together, or as a local batch holds.
TEST(Scheduler, GivesShortTasksInBatches) {
  for (const auto& [duration, most] :
       {std::pair(kShortTask, std::size_t{4}), std::pair(kMicrosecond / 100, LocalBatch::kMost),
        std::pair(Epoch::kShort, std::size_t{1})}) {
    Stepper run({.workers = "cpu=2", .policy = "eager"});
    learn_duration(run, duration);
    run.submit_many(kEmpty, 200);
    run.look_around(0);
    EXPECT_THAT(run.execute(1, duration), SizeIs(1)) << "another one gives it no more than it needs";
    EXPECT_THAT(run.execute(0, duration), SizeIs(most));
    EXPECT_THAT(run.execute(1, duration), SizeIs(most));
    while (run.progress().unfinished() > 0)
      ASSERT_FALSE(run.execute(0, duration).empty() && run.execute(1, duration).empty());
  }
}

TEST(Scheduler, WhoeverIsIdleGetsWhatAnotherOneHasNotBegun) {
  ToldEager told;
  Stepper& run = told.run;
  learn_duration(run, kShortTask);
  run.submit_many(kEmpty, 5);
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 9U);
  EXPECT_EQ(run.worker(0).given.size(), 4U);
  static_cast<void>(told.take_log());
  EXPECT_EQ(run.execute(1, kShortTask), Tasks{10});
  EXPECT_THAT(told.take_log(),
              ElementsAre("finished 1 on 1", "aborted 4 on 0", "aborted 3 on 0", "aborted 2 on 0", "ready 2", "ready 3",
                          "ready 4", "started 2 on 1", "started 3 on 1", "started 4 on 1"));
  EXPECT_EQ(run.execute(1, kShortTask), (Tasks{11, 12, 13}));
  EXPECT_EQ(run.worker(0).given.size(), 1U);
  run.end(0);
  EXPECT_EQ(run.progress().unfinished(), 0U);
}

/// They would see the end of a task only with that of the others in the local batch.
TEST(Scheduler, WorkersHaveNoBatchWhileAProgramWaits) {
  Stepper run({.workers = "cpu=2", .policy = "eager"});
  learn_duration(run, kShortTask);
  run.submit_many(kEmpty, 100);
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 9U);
  {
    const Waiters::Want news = run.scheduler().waiters().want_news();
    run.scheduler().empty_all_batches();
    EXPECT_EQ(run.worker(0).given.size(), 1U);
    run.end(0);
    EXPECT_THAT(run.execute(0, kShortTask), SizeIs(1));
  }
  EXPECT_THAT(run.execute(0, kShortTask), SizeIs(1));
  EXPECT_THAT(run.execute(0, kShortTask), SizeIs(4));
}

/// What the policy takes to start is at most an eighth of the time, unless there is nothing else to do.
TEST(Scheduler, TakesUpWhatIsSubmittedAtIntervals) {
  OrderedRun ordered;
  Stepper& run = ordered.run;
  ordered.policy.orders->start_takes = kMillisecond;
  run.submit(kEmpty);
  ordered.order({policy::run(TaskId{0}, kWorker0)});
  run.look_around(0);
  EXPECT_EQ(run.now(), kMillisecond);
  EXPECT_EQ(run.begin(0), 1U);
  run.submit(kEmpty);
  const Time at = 9 * kMillisecond;
  EXPECT_EQ(run.progress().look_again, at);
  run.pass(at - run.now() - 1);
  run.look_around(1);
  EXPECT_EQ(run.begin(1), 0U);
  EXPECT_EQ(run.now(), at - 1);
  run.pass(1);
  ordered.order({policy::run(TaskId{1}, kWorker1)});
  run.look_around(1);
  EXPECT_EQ(run.now(), at + kMillisecond);
  EXPECT_EQ(run.begin(1), 2U);
  run.end(0), run.end(1);
  ASSERT_EQ(run.progress().unfinished(), 0U);

  run.submit(kEmpty);
  ordered.order({policy::run(TaskId{0}, kWorker0)});
  EXPECT_GT(run.progress().look_again, run.now());
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 3U) << "nothing else is left";
}

/// The data of a task that a device is given ahead comes while it is busy.
TEST(Scheduler, MovesDataToADeviceBeforeItRunsTheTask) {
  OrderedRun ordered("cpu=1,step=1");
  Stepper& run = ordered.run;
  int x = 5;
  int y = 7;
  Block* a = run.datum(x);
  Block* b = run.datum(y);
  run.submit(kAddOneInt, {{a, kReadWrite}});
  run.submit(kAddOneInt, {{b, kReadWrite}});
  ordered.order({policy::run(TaskId{0}, kWorker1), policy::wait(), policy::run(TaskId{1}, kWorker1)});
  run.look_around(0);
  StepDevice& device = run.device(1);
  run.drive(1);
  EXPECT_EQ(device.copies_under_way(), 2U);
  EXPECT_EQ(device.kernels_under_way(), 0U);
  device.end();
  run.drive(1), run.drive(1);  // the copy has ended; the kernel begins
  EXPECT_EQ(device.copies_under_way(), 1U);
  EXPECT_EQ(device.kernels_under_way(), 1U);
  device.end();
  run.drive(1), run.drive(1);
  EXPECT_EQ(device.copies_under_way(), 0U);
  EXPECT_EQ(device.kernels_under_way(), 2U) << "it is asked for one while it runs another";
  device.end(), device.end();
  run.drive(1);
  EXPECT_EQ(run.progress().unfinished(), 0U);
  EXPECT_EQ(x, 5);

  run.scheduler().copies().fetch_home();
  run.drive(1);
  EXPECT_EQ(device.copies_under_way(), 2U);
  device.end(), device.end();
  run.drive(1);
  run.bring_home();
  EXPECT_EQ(x, 6);
  EXPECT_EQ(y, 8);
}

const Kernel kOnDevice("on device", on_opencl_native([] {}));
const Kernel kNothing("nothing", on_cpu([] {}), on_opencl_native([] {}));

/// So many such tasks are submitted, of which the device begins some.
std::size_t begin_on_device(Stepper& run, int tasks) {
  run.submit_many(kOnDevice, tasks);
  run.look_around(0);
  run.drive(1);
  return run.device(1).kernels_under_way();
}

/// What the device does first ends after so long.
void end_on_device(Stepper& run, Time duration) {
  run.pass(duration);
  run.device(1).end();
  run.drive(1), run.drive(1);
}

TEST(Scheduler, GivesADeviceTwoTasksAheadIfAllOfThemAreShort) {
  for (const auto& [duration, ahead] :
       {std::pair(Worker::kShortForDevices / 2 - 1, 2U), std::pair(Worker::kShortForDevices / 2, 1U)}) {
    Stepper run({.workers = "cpu=1,step=1", .policy = "eager"});
    EXPECT_EQ(begin_on_device(run, 1), 1U);
    end_on_device(run, duration);
    EXPECT_EQ(begin_on_device(run, 5), 1 + ahead);
    end_on_device(run, duration);
    EXPECT_EQ(run.device(1).kernels_under_way(), 1 + ahead);
    while (run.device(1).kernels_under_way() > 0) end_on_device(run, duration);
    EXPECT_EQ(run.progress().unfinished(), 0U);
  }
}

/// Each is said to have taken what it added.
TEST(Scheduler, KernelsSideBySideAreAttemptsThatFollowEachOther) {
  Stepper run({.workers = "cpu=1,step=1", .policy = "eager", .trace = true});
  ASSERT_EQ(begin_on_device(run, 2), 2U);
  run.pass(kMillisecond);
  run.device(1).end_last_kernel();
  run.drive(1), run.drive(1);
  EXPECT_EQ(run.progress().unfinished(), 1U);
  end_on_device(run, kMicrosecond);
  const Trace trace = run.scheduler().trace(0);
  EXPECT_EQ(validate(trace.instance, trace.schedule, Durations::exact), std::vector<std::string>());
  ASSERT_THAT(trace.schedule.attempts, SizeIs(2));
  EXPECT_EQ(trace.schedule.attempts[0].task, TaskId{1});
  EXPECT_EQ(trace.schedule.attempts[0].end, kMillisecond);
  EXPECT_EQ(trace.schedule.attempts[1].start, kMillisecond);
  EXPECT_EQ(trace.schedule.attempts[1].end, kMillisecond + kMicrosecond);
}

/// The kernel of the aborted attempt is still at work when the one beside it ends.
TEST(Scheduler, AKernelBesideOneThatWasAbortedBeginsAfterThat) {
  Ordered ordered;
  Stepper run({.workers = "cpu=1,step=1", .decider = ordered, .trace = true});
  ordered.orders->run = &run;
  run.submit(kNothing);
  run.submit(kNothing);
  ordered.orders->actions = {policy::run(TaskId{0}, kWorker1), policy::wait(), policy::run(TaskId{1}, kWorker1)};
  run.look_around(0);
  run.drive(1);
  ASSERT_EQ(run.device(1).kernels_under_way(), 2U);
  run.pass(kMillisecond);
  ordered.orders->actions = {policy::restart(TaskId{0}, kWorker0)};
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  run.pass(kMillisecond);
  run.device(1).end_last_kernel();
  run.drive(1), run.drive(1);
  run.end(0);
  end_on_device(run, kMillisecond);
  EXPECT_EQ(run.progress().unfinished(), 0U);
  const Trace trace = run.scheduler().trace(0);
  EXPECT_EQ(validate(trace.instance, trace.schedule, Durations::exact), std::vector<std::string>());
  EXPECT_THAT(trace.schedule.attempts, SizeIs(3));
}

TEST(Scheduler, FetchesWhatAPolicyWantsToBeThereEarly) {
  OrderedRun ordered("cpu=1,step=1");
  Stepper& run = ordered.run;
  int x = 5;
  run.submit(kAddOneInt, {{run.datum(x), kReadWrite}});
  ordered.order({policy::prefetch(TaskId{0}, kWorker1)});
  run.look_around(0);
  run.drive(1);
  EXPECT_EQ(run.device(1).copies_under_way(), 1U);
  run.device(1).end();
  run.drive(1);
  ordered.order({policy::run(TaskId{0}, kWorker1)});
  run.look_around(0);
  run.drive(1);
  EXPECT_EQ(run.device(1).copies_under_way(), 0U);
  EXPECT_EQ(run.device(1).kernels_under_way(), 1U);
}

TEST(Scheduler, WhatCannotBeSentToADeviceRunsElsewhere) {
  Stepper run({.workers = "cpu=1,step=1", .policy = "eager"});
  int x = 5;
  run.submit(kAddOneInt, {{run.datum(x), kReadWrite}});
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 0U) << "the policy serves the class that is listed last first";
  run.drive(1);
  run.device(1).end(std::make_exception_ptr(std::runtime_error("the link is down")));
  run.drive(1);
  EXPECT_EQ(run.execute(0, kBelieved), Tasks{1});
  EXPECT_EQ(run.progress().unfinished(), 0U);
  EXPECT_EQ(run.scheduler().take_failure(), nullptr);
  run.bring_home();
  EXPECT_EQ(x, 6);
}

/// Three tasks under a policy with a queue per worker: the second worker is done with its own, and the last task waits
/// for the first worker.
class Overrun {
 public:
  explicit Overrun(Time believed = kBelieved) {
    if (believed != kBelieved) learn_duration(run, believed);
    begun_ = run.now();
    run.submit_many(kEmpty, 3);
    run.look_around(0);
    EXPECT_NE(run.begin(0), 0U);
    EXPECT_THAT(run.execute(1, believed), SizeIs(1));
    EXPECT_EQ(run.worker(1).given.size(), 0U);
    EXPECT_EQ(run.progress().unfinished(), 2U);
  }
  /// How long the first worker may be busy with its task before that overruns.
  [[nodiscard]] Time margin() const { return run.progress().overrun_at - begun_; }

  Stepper run{{.workers = "cpu=2", .policy = "dm"}};

 private:
  Time begun_ = 0;
};

TEST(Scheduler, NoTaskWaitsBehindOneThatOverruns) {
  Overrun overrun;
  Stepper& run = overrun.run;
  EXPECT_EQ(overrun.margin(), 10 * kMillisecond);
  EXPECT_TRUE(run.woke()) << "an idle worker is to look then";
  run.pass(run.progress().overrun_at - run.now() - 1);
  run.look_around(1);
  EXPECT_FALSE(run.progress().outdated);
  run.pass(1);
  run.look_around(1);
  EXPECT_TRUE(run.progress().outdated);
  EXPECT_EQ(run.progress().overrun_at, kMaxTime);
  EXPECT_EQ(run.begin(1), 0U);
  run.look_around(1);
  EXPECT_EQ(run.begin(1), 3U);
  run.end(1);
  run.end(0);
  EXPECT_EQ(run.progress().unfinished(), 0U);
}

TEST(Scheduler, ATaskOverrunsWhenItTakesTwiceAsLongAsBelieved) {
  const Overrun overrun(20 * kMillisecond);
  EXPECT_EQ(overrun.margin(), 40 * kMillisecond);
}

TEST(Scheduler, NobodyLooksForOverrunsOnceNoTaskWaits) {
  Overrun overrun;
  Stepper& run = overrun.run;
  run.end(0);
  EXPECT_EQ(run.progress().unfinished(), 1U);
  EXPECT_EQ(run.progress().overrun_at, kMaxTime);
}

TEST(Scheduler, NobodyLooksForOverrunsWhileNoTaskWaits) {
  Stepper run({.workers = "cpu=2", .policy = "dm"});
  run.submit_many(kEmpty, 2);
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  EXPECT_THAT(run.execute(1, kBelieved), SizeIs(1));
  EXPECT_EQ(run.progress().overrun_at, kMaxTime);
  run.pass(kSecond);
  run.look_around(1);
  EXPECT_FALSE(run.progress().outdated);
}

/// One that takes much longer may be an accident.
TEST(Scheduler, ThePolicyIsBegunAnewWhenDurationsAreFarFromWhatItWasTold) {
  ToldEager told;
  Stepper& run = told.run;
  learn_duration(run, kBelieved);
  run.submit_many(kEmpty, 100);
  run.look_around(0);
  const auto before = told.starts();
  run.execute(0, 10 * kBelieved);
  run.execute(0, kBelieved);
  EXPECT_EQ(told.starts(), before);
  EXPECT_EQ(run.worker(0).given.front()->estimate, kBelieved);
  for (int i = 0; i < 16; ++i) run.execute(0, 5 * kBelieved / 2);
  EXPECT_EQ(told.starts(), before + 1);
  EXPECT_GT(run.worker(0).given.front()->estimate, 2 * kBelieved);
}

TEST(Scheduler, GivesTasksToAClassThatTurnsOutToBeFaster) {
  constexpr Time kLasts[] = {5 * kBelieved, kBelieved / 2};
  Stepper run({.workers = "cpu=1,cpu2=1", .policy = "dmdas"});
  run.submit_many(kEmpty, 100);
  run.look_around(0);
  int ran[] = {0, 0};
  Time ends[] = {kMaxTime, kMaxTime};
  while (run.progress().unfinished() > 0) {
    for (const std::size_t worker : {0U, 1U}) {
      if (ends[worker] != kMaxTime || run.begin(worker) == 0) continue;
      ends[worker] = run.now() + kLasts[worker];
      ++ran[worker];
    }
    const std::size_t first = ends[0] < ends[1] ? 0 : 1;
    ASSERT_NE(ends[first], kMaxTime) << "no task is given to anybody";
    run.pass(ends[first] - run.now());
    ends[first] = kMaxTime;
    run.end(first);
  }
  EXPECT_GE(ran[1], 75);
}

}  // namespace
}  // namespace heddle::runtime
