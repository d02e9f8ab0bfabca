// Contexts whose workers a rule moves while tasks run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/step_through.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime::resized_contexts_test {
namespace {

using testing::ThrowsMessage;

constexpr ContextId kA{0}, kB{1};
constexpr Time kTask = 10 * kMillisecond;

void submit(Stepper& run, ContextId context, int count) {
  for (int i = 0; i < count; ++i) run.submit(kEmpty, {}, {}, context);
}

/// Runs until no task is left. All workers begin tasks at once, which last equally long.
void execute_all(Stepper& run, std::size_t workers) {
  while (run.progress().unfinished() > 0) {
    std::vector<std::size_t> begun;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      if (run.worker(worker).given.empty()) run.look_around(worker);
    }
    for (std::size_t worker = 0; worker < workers; ++worker) {
      if (run.begin(worker) != 0) begun.push_back(worker);
    }
    ASSERT_FALSE(begun.empty()) << "no task is given to any worker";
    run.pass(kTask);
    for (const std::size_t worker : begun) run.end(worker);
  }
}

Trace valid_trace(const Stepper& run) {
  Trace trace = run.scheduler().trace(0);
  const std::vector<std::string> violations = validate(trace.instance, trace.schedule, Durations::exact);
  EXPECT_TRUE(violations.empty()) << violations.front();
  return trace;
}

std::size_t tasks_on(const Trace& trace, ContextId context, WorkerId worker) {
  return static_cast<std::size_t>(std::ranges::count_if(trace.schedule.attempts, [&](const Attempt& attempt) {
    return attempt.worker == worker && trace.schedule.contexts.of[attempt.task] == context;
  }));
}

class ResizedBy : public testing::TestWithParam<std::string> {};

/// On a clock that the test sets, so the run is the same each time. The shorter job ends, and both workers end the
/// longer one.
TEST_P(ResizedBy, MovesAWorkerToTheLongerJob) {
  const test::Scratch scratch;
  const std::string path = scratch.path("facts.json");
  {
    Stepper run({.workers = "cpu=2", .resize = GetParam(), .trace = true, .facts = path});
    run.set_contexts("a:cpu=1:dmdas; b:cpu=1");
    submit(run, kA, 10);
    submit(run, kB, 50);
    execute_all(run, 2);
    run.scheduler().finish_facts();
    const Trace trace = valid_trace(run);
    EXPECT_FALSE(trace.schedule.moves.empty());
    EXPECT_GE(tasks_on(trace, kB, kWorker0), 10U);
    // 50 tasks one after the other without moves; 30 where both workers are busy to the end.
    EXPECT_LE(run.now(), 42 * kTask);
    const Table<ContextId, ContextUse> use = context_use(trace.schedule);
    EXPECT_EQ(use[kA].tasks, 10U);
    EXPECT_EQ(use[kB].tasks, 50U);
  }
  const facts::Replayed replayed = facts::replay(io::read_file(path), "log");
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_EQ(replayed.decisions, 60U);
}

/// Tasks come for a context whose only worker is with another one: it comes back.
TEST_P(ResizedBy, AWorkerComesBackForNewTasks) {
  Stepper run({.workers = "cpu=2", .resize = GetParam(), .trace = true});
  run.set_contexts("a:cpu=1; b:cpu=1");
  submit(run, kA, 4);
  submit(run, kB, 100);
  const auto step = [&] {
    for (const std::size_t worker : {0U, 1U}) {
      if (run.worker(worker).given.empty()) run.look_around(worker);
    }
    execute_both(run, kTask);
  };
  while (run.scheduler().trace(0).schedule.moves.empty()) {
    ASSERT_GT(run.progress().unfinished(), 20U) << "no worker moves";
    step();
  }
  submit(run, kA, 1000);
  execute_all(run, 2);
  const Trace trace = valid_trace(run);
  EXPECT_GT(tasks_on(trace, kA, kWorker0), 100U);
  EXPECT_EQ(context_use(trace.schedule)[kA].tasks, 1004U);
}

/// The only worker of a context is with another one when an epoch begins: what the policies are told is a whole
/// instance, whose facts are read back.
TEST_P(ResizedBy, AnEpochBeginsWhileAContextHasNoWorker) {
  const test::Scratch scratch;
  const std::string path = scratch.path("facts.json");
  {
    Stepper run({.workers = "cpu=2", .resize = GetParam(), .trace = true, .facts = path});
    run.set_contexts("a:cpu=1; b:cpu=1");
    submit(run, kA, 4);
    submit(run, kB, 100);
    while (run.scheduler().trace(0).schedule.moves.empty()) {
      ASSERT_GT(run.progress().unfinished(), 20U) << "no worker moves";
      for (const std::size_t worker : {0U, 1U}) {
        if (run.worker(worker).given.empty()) run.look_around(worker);
      }
      execute_both(run, kTask);
    }
    submit(run, kB, 200);
    execute_all(run, 2);
    run.scheduler().finish_facts();
    EXPECT_GT(tasks_on(valid_trace(run), kB, kWorker0), 100U) << "it is with the other one all the time";
  }
  const facts::Replayed replayed = facts::replay(io::read_file(path), "log");
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_EQ(replayed.decisions, 304U);
}

/// Recorded tasks begin with the workers where the program put them, in each run.
TEST_P(ResizedBy, EachRunOfRecordedTasksBeginsAtHome) {
  Stepper run({.workers = "cpu=2", .resize = GetParam(), .trace = true});
  run.set_contexts("a:cpu=1; b:cpu=1");
  const auto recording = run.record_many(kEmpty, 40, kB);
  std::vector<Time> begins;
  for (int i = 0; i < 4; ++i) {
    begins.push_back(run.now());
    run.run(recording);
    submit(run, kA, 4);  // which come after the recorded ones
    execute_all(run, 2);
    EXPECT_LT(run.now() - begins.back(), 40 * kTask) << "both workers ran recorded tasks";
  }
  const Trace trace = valid_trace(run);
  for (const Time begin : begins) {
    std::vector<WorkerId> first;
    for (const Attempt& attempt : trace.schedule.attempts) {
      if (attempt.start >= begin && attempt.start < begin + kTask) first.push_back(attempt.worker);
    }
    EXPECT_EQ(first, std::vector{kWorker1});
  }
}

/// Whatever the rule does, each task has a worker, and data and dependencies are as without.
TEST_P(ResizedBy, RandomDataFlow) {
  const test::Scratch scratch;
  std::vector<std::string> policies = runtime_policies();
  for (std::uint64_t seed = 1; seed <= test::rounds(std::uint64_t{10}); ++seed) {
    const std::string path = scratch.path("facts" + std::to_string(seed) + ".json");
    const DataFlow flow(seed, 150, std::chrono::microseconds(50));
    const std::string& policy = policies[seed % policies.size()];
    {
      Runtime runtime(
          {.workers = "cpu=3,cpu2=1", .resize = GetParam(), .seed = seed, .trace = true, .facts = path, .history = ""});
      const std::vector<SchedulingContext> contexts{
          runtime.context({.name = "one", .workers = "cpu=2", .policy = policy}),
          runtime.context({.name = "two", .workers = "cpu=1,cpu2=1", .policy = "dmdas"})};
      EXPECT_EQ(flow.run(runtime, contexts), flow.expected()) << policy;
      EXPECT_EQ(flow.run_recorded(runtime, 2, contexts), flow.expected(2)) << policy;
      expect_valid(runtime, policy);
    }
    const facts::Replayed replayed = facts::replay(io::read_file(path), "log");
    EXPECT_EQ(replayed.difference, std::nullopt) << policy;
    EXPECT_GE(replayed.decisions, 450U) << policy;
  }
}

/// A device is lent to a context of cores, and comes back for what runs on it alone.
TEST_P(ResizedBy, DevicesMove) {
  const Kernel add("add", on_cpu([](int& x) { ++x; }), on_opencl_native([](int& x) { ++x; }));
  const Kernel on_device("on device", on_opencl_native([](int& x) { x *= 2; }));
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{});
  std::vector<int> numbers(300, 1);
  Runtime runtime(
      {.workers = "cpu=2,fake=1", .backends = {backend}, .resize = GetParam(), .trace = true, .history = ""});
  const SchedulingContext cores = runtime.context({.name = "cores", .workers = "cpu=1", .policy = "dmdas"});
  const SchedulingContext device = runtime.context({.name = "device", .workers = "cpu=1,fake=1", .policy = "dmdas"});
  {
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < data.size(); ++i) runtime.submit(in(i % 10 == 0 ? device : cores), add, rw(data[i]));
      for (std::size_t i = 0; i < data.size(); i += 30) runtime.submit(in(device), on_device, rw(data[i]));
    }
    runtime.wait();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i % 30 == 0 ? 94 : 6) << i;
  expect_valid(runtime);
}

INSTANTIATE_TEST_SUITE_P(Runtime, ResizedBy, testing::ValuesIn(policy::resize_rule_names()), test::test_name);

/// A worker that is lent is where the program put it before the program changes the contexts.
TEST(ResizedContexts, AreThoseOfTheProgramWhenItChangesThem) {
  Stepper run({.workers = "cpu=3", .resize = "lp", .trace = true});
  run.set_contexts("a:cpu0,cpu1; b:cpu2");
  submit(run, kA, 2);
  submit(run, kB, 60);
  while (run.scheduler().trace(0).schedule.moves.empty()) {
    ASSERT_GT(run.progress().unfinished(), 10U) << "no worker moves";
    for (const std::size_t worker : {0U, 1U, 2U}) {
      if (run.worker(worker).given.empty()) run.look_around(worker);
    }
    std::vector<std::size_t> begun;
    for (const std::size_t worker : {0U, 1U, 2U}) {
      if (run.begin(worker) != 0) begun.push_back(worker);
    }
    run.pass(kTask);
    for (const std::size_t worker : begun) run.end(worker);
  }
  run.remove_worker(kA, "cpu1");
  submit(run, kA, 200);
  execute_all(run, 3);
  EXPECT_GT(tasks_on(valid_trace(run), kA, kWorker0), 50U);
}

TEST(ResizedContexts, AreRefusedInASentence) {
  EXPECT_THAT([] { Runtime({.workers = "cpu=1", .resize = "often", .history = ""}); },
              ThrowsMessage<InputError>("Config::resize is 'often', which is not a rule for contexts; expected one of "
                                        "idle, speed, lp, simulate"));
  Runtime runtime(
      {.workers = "cpu=2", .plan = [](const Instance&) { return Schedule(); }, .resize = "lp", .history = ""});
  EXPECT_THAT(
      [&] {
        static_cast<void>(runtime.context({.name = "planned", .workers = "cpu=1", .policy = "static:file=ours"}));
      },
      ThrowsMessage<InputError>("context 'planned': policy 'static' follows a schedule, so its workers cannot change; "
                                "expected resize=none, or another policy"));
}

}  // namespace
}  // namespace heddle::runtime::resized_contexts_test
