#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/valid_trace.hpp"

namespace heddle::runtime {
namespace {

const Kernel kAdd("add", on_cpu([](int increment, int& x) { x += increment; }));
const Kernel kDouble("double", on_cpu([](int& x) { x *= 2; }));
const Kernel kSlow("slow", on_cpu([](int& x) {
                     std::this_thread::sleep_for(std::chrono::milliseconds(2));
                     x = 7;
                   }));
const Kernel kMove("move", on_cpu([](const int& from, int& to) { to = from; }));

bool throws_while_running(Runtime& runtime, const Graph& graph) {
  try {
    static_cast<void>(runtime.describe(graph));
  } catch (const InputError&) {
    return true;
  }
  return false;
}

TEST(Recording, RunsNothingUntilItIsRun) {
  int x = 1;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const Graph graph = runtime.record([&] {
    runtime.submit(kAdd, 1, rw(a));
    runtime.submit(kDouble, rw(a));
  });
  EXPECT_EQ(graph.size(), 2U);
  runtime.wait();
  EXPECT_EQ(x, 1);
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(x, 4);
}

TEST(Recording, RunsAfterWhatWasSubmittedBeforeAndBeforeWhatIsSubmittedLater) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Graph graph = runtime.record([&] { runtime.submit(kDouble, rw(a)); });
  for (int round = 0; round < 10; ++round) {
    runtime.submit(kAdd, 1, rw(a));
    runtime.run(graph);
    runtime.run(graph);
    runtime.submit(kAdd, 3, rw(a));
    runtime.submit(kMove, read(a), write(b));
  }
  runtime.wait();
  int expected = 0;
  for (int round = 0; round < 10; ++round) expected = (expected + 1) * 4 + 3;
  EXPECT_EQ(x, expected);
  EXPECT_EQ(y, expected);
}

TEST(Recording, EveryPolicyRunsItAgainAndAgain) {
  for (const std::string& policy : runtime_policies()) {
    for (const char* workers : {"cpu=1", "cpu=2,cpu2=1"}) {
      const DataFlow flow(5, 150);
      Runtime runtime({.workers = workers, .policy = policy, .trace = true});
      ASSERT_EQ(flow.run_recorded(runtime, 3), flow.expected(3)) << policy << ", " << workers;
      expect_valid(runtime, policy + ", " + workers);
    }
  }
}

TEST(Recording, AFailureIsToldAndTheNextRunIsWhole) {
  bool fails = true;
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Kernel once("fails once", on_cpu([&](int& value) {
                      if (fails) throw std::runtime_error("the kernel failed");
                      value = 5;
                    }));
  const Graph graph = runtime.record([&] {
    runtime.submit(once, write(a));
    runtime.submit(kMove, read(a), write(b));
  });
  runtime.run(graph);
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(y, 0);
  fails = false;
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(y, 5);
}

/// When durations are far from what was believed, the rest of a run is planned anew.
TEST(Recording, RunsThatArePlannedAnewInTheMiddleAndRunsThatAreCancelledChangeNothing) {
  for (const std::string policy : {"heteroprio-dep", "dmdas", "lws"}) {
    SCOPED_TRACE(policy);
    int ended = 0;  // of the chain, in the present run
    bool slow = false;
    std::atomic<bool> is_held = false;
    std::atomic<int> steps = 0;
    std::vector<int> values(60, 0);
    const Kernel step("step", on_cpu([&](int, int& value) {
                        if (slow) std::this_thread::sleep_for(std::chrono::microseconds(500));
                        ++value;
                        ++steps;
                        while (is_held) std::this_thread::yield();
                      }));
    const Kernel link("link", on_cpu([&](int number, int& value) {
                        if (slow) std::this_thread::sleep_for(std::chrono::microseconds(500));
                        if (value == number) value = number + 1;
                      }));
    const Kernel begin("begin", on_cpu([](int& value) { value = 0; }));
    Runtime runtime({.workers = "cpu=2", .policy = policy, .trace = true, .history = ""});
    const auto chain = runtime.data(ended);
    std::vector<Data<int&>> data;
    for (int& value : values) data.push_back(runtime.data(value));
    const Graph graph = runtime.record([&] {
      Task before = runtime.submit(begin, write(chain));
      for (int i = 0; i < 60; ++i) {
        runtime.submit(step, i, rw(data[static_cast<std::size_t>(i)]), after({before}));
        before = runtime.submit(link, i, rw(chain));
      }
    });
    int runs = 0;
    for (const bool is_slow : {false, false, true, true, false, true}) {
      slow = is_slow;
      runtime.run(graph);
      runtime.run(graph);
      runtime.wait();
      runs += 2;
      EXPECT_EQ(ended, 60);
      EXPECT_EQ(values, std::vector<int>(60, runs));
    }
    expect_valid(runtime);
    is_held = true;
    for (int i = 0; i < 3; ++i) runtime.run(graph);
    while (steps == 60 * runs) std::this_thread::yield();
    runtime.cancel();
    is_held = false;
    EXPECT_THROW(runtime.wait(), Cancelled);
    EXPECT_LT(values.back(), runs + 3);
    values.assign(values.size(), 0);
    runtime.run(graph);
    runtime.wait();
    EXPECT_EQ(ended, 60);
    EXPECT_EQ(values, std::vector<int>(60, 1));
  }
}

TEST(Recording, KnowsExplicitDependencies) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Kernel look("look", on_cpu([&](int& value) { value = x; }));
  const Graph graph = runtime.record([&] {
    const Task first = runtime.submit(kAdd, 1, rw(a));
    runtime.submit(look, write(b), after({first}));
  });
  for (int round = 1; round <= 20; ++round) {
    runtime.run(graph);
    runtime.wait();
    ASSERT_EQ(y, round);
  }
}

TEST(Recording, ComesAfterWhatWasSubmittedBefore) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Kernel look("look", on_cpu([&](int& value) { value = x; }));
  const Task before = runtime.submit(kSlow, write(a));
  const Graph graph = runtime.record([&] { runtime.submit(look, write(b), after({before})); });
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(y, 7);
}

TEST(Recording, ComesAfterWhatWasSubmittedBeforeEvenIfThatIsLongOver) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Task before = runtime.submit(kSlow, write(a));
  const Graph graph = runtime.record([&] { runtime.submit(kMove, read(a), write(b), after({before})); });
  // What was kept of it holds other tasks now, at last one that comes after the graph.
  const auto add_some = [&] {
    for (int i = 0; i < 10; ++i) runtime.submit(kAdd, 1, rw(a));
  };
  for (int round = 0; round < 3; ++round) {
    add_some();
    runtime.wait();
  }
  runtime.submit(kSlow, write(a));
  runtime.run(graph);
  add_some();
  runtime.wait();
  EXPECT_EQ(y, 7);
  EXPECT_EQ(x, 17);
}

TEST(Recording, MayGoBeforeItsRunEnds) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  for (int round = 0; round < 20; ++round) {
    runtime.run(runtime.record([&] {
      for (int i = 0; i < 50; ++i) runtime.submit(kAdd, 1, rw(a));
    }));
  }
  runtime.wait();
  EXPECT_EQ(x, 1000);
}

TEST(Recording, WhoeverHasNothingToDoMeanwhileSleeps) {
  int x = 0;
  Runtime runtime({.workers = "cpu=4"});
  const auto a = runtime.data(x);
  const Kernel slow("slow", on_cpu([](int& value) {
                      std::this_thread::sleep_for(std::chrono::milliseconds(300));
                      ++value;
                    }));
  const std::clock_t before = std::clock();
  runtime.run(runtime.record([&] { runtime.submit(slow, rw(a)); }));
  runtime.submit(kAdd, 1, rw(a));
  runtime.wait();
  EXPECT_LE(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.1);
  EXPECT_EQ(x, 2);
}

TEST(Recording, RefusesWhatItCannotKnow) {
  int x = 0;
  Runtime runtime({.workers = "cpu=1"});
  Runtime other({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  Task recorded;
  const Graph graph = runtime.record([&] { recorded = runtime.submit(kAdd, 1, rw(a)); });
  EXPECT_THROW(static_cast<void>(recorded.done()), InputError);
  EXPECT_THROW(recorded.wait(), InputError);
  EXPECT_THROW(runtime.submit(kAdd, 1, rw(a), after({recorded})), InputError);
  EXPECT_THROW(static_cast<void>(runtime.record([&] { runtime.submit(kAdd, 1, rw(a), after({recorded})); })),
               InputError);
  EXPECT_THROW(static_cast<void>(runtime.record([&] { runtime.run(graph); })), InputError);
  EXPECT_THROW(static_cast<void>(runtime.record([&] { runtime.wait(); })), InputError);
  EXPECT_THROW(other.run(graph), InputError);
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(x, 1);
}

/// Which may be where the other one was in memory.
TEST(Recording, IsNoneOfTheNextRuntime) {
  const Kernel nothing("nothing", on_cpu([] {}));
  std::optional<Runtime> runtime(std::in_place, Config{.workers = "cpu=1"});
  const Graph graph = runtime->record([&] { runtime->submit(nothing); });
  runtime.emplace(Config{.workers = "cpu=1"});
  EXPECT_THROW(runtime->run(graph), InputError);
}

TEST(Recording, AnExceptionWhileRecordingEndsIt) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto leave_a_sum = [&] {
    int y = 0;
    const auto b = runtime.data(y);
    runtime.submit(kAdd, 1, reduce(b));
    throw std::runtime_error("stop");
  };
  EXPECT_THROW(static_cast<void>(runtime.record(leave_a_sum)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(runtime.record([] { throw std::runtime_error("stop"); })), std::runtime_error);
  runtime.submit(kAdd, 1, rw(a));
  runtime.wait();
  EXPECT_EQ(x, 1);
}

TEST(Recording, IsDescribedAsAnInstance) {
  int x = 1;
  int y = 1;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Graph graph = runtime.record([&] {
    runtime.submit(kSlow, write(a));
    runtime.submit(kMove, read(a), write(b));
    runtime.submit(kSlow, write(a), named("last"));
  });
  const Runtime::Described before = runtime.describe(graph);
  EXPECT_EQ(before.guessed, (std::vector<std::string>{"slow on cpu", "move on cpu"}));
  const TaskGraph& tasks = before.instance.graph;
  ASSERT_EQ(tasks.task_count(), 3U);
  EXPECT_EQ(tasks.type_name(tasks.type(TaskId{1})), "move");
  EXPECT_EQ(tasks.name(TaskId{2}), "last");
  EXPECT_EQ(tasks.predecessors(TaskId{1}).size(), 1U);
  EXPECT_EQ(tasks.predecessors(TaskId{2}).size(), 1U);  // the reader waits for the writer
  runtime.run(graph);
  EXPECT_TRUE(throws_while_running(runtime, graph));
  runtime.wait();
  const Runtime::Described after = runtime.describe(graph);
  EXPECT_TRUE(after.guessed.empty());
  EXPECT_GE(after.instance.costs.actual(TaskId{0}, ClassId{0}), 2 * kMillisecond);
  EXPECT_GE(sim::simulate(after.instance, policy::Spec("eager")).makespan(), 4 * kMillisecond);
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(y, 7);
}

TEST(Recording, OfAnotherRuntimeIsNotDescribed) {
  int x = 0;
  Runtime one({.workers = "cpu=1"});
  const Runtime other({.workers = "cpu=1"});
  const auto a = one.data(x);
  const Graph graph = one.record([&] { one.submit(kDouble, rw(a)); });
  EXPECT_THROW(static_cast<void>(other.describe(graph)), InputError);
}

/// Describing changes nothing, wherever the data is: each description has as many tasks, and is scheduled.
TEST(Recording, IsDescribedBetweenRuns) {
  for (const char* workers : {"cpu=2", "cpu=1,fake=2"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const DataFlow flow(seed, 60);
      Runtime runtime(with(std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2}), workers, "dmdas"));
      std::size_t described = 0;
      const auto look = [&](const Graph& graph) {
        const Instance instance = runtime.describe(graph).instance;
        const Schedule schedule = sim::simulate(instance, policy::Spec("dmdas"));
        EXPECT_TRUE(validate(instance, schedule).empty());
        EXPECT_EQ(instance.graph.task_count(), graph.size());
        EXPECT_EQ(instance.graph.data_count() > 0, std::string_view(workers) != "cpu=2");
        ++described;
      };
      EXPECT_EQ(flow.run_recorded(runtime, 3, {}, look), flow.expected(3));
      EXPECT_EQ(described, 3U);
      expect_valid(runtime);
    }
  }
}

}  // namespace
}  // namespace heddle::runtime
