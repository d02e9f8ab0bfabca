// More tasks than may wait at once: the program waits, and records of tasks are used again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/model/random.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/threads/engine.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/step_through.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {
namespace {

constexpr std::size_t kLimit = 64;

TEST(Waves, RecordsOfTasksAreUsedAgain) {
  for (const std::string policy : {"eager", "dmdas", "heft", "lws"}) {
    Engine engine({.workers = "cpu=2", .policy = policy, .most_waiting = kLimit, .history = ""});
    for (std::size_t i = 0; i < 100 * kLimit; ++i) {
      TaskOptions options;
      static_cast<void>(engine.submit(kEmpty.info(), {}, {}, options));
      ASSERT_LE(engine.unfinished(), kLimit);
    }
    engine.wait(Engine::Watch());
    // Those of tasks that ended while an epoch knew them come back when the next one begins.
    EXPECT_LE(engine.records(), 2 * kLimit) << policy;
  }
}

/// Independent tasks, chains and tasks that commute, with a wait now and then or none.
void run_waves(Runtime& runtime, int tasks, bool waits) {
  constexpr std::size_t kData = 8;
  std::array<int, kData> chains{};
  int together = 0;
  std::array<int, kData> expected{};
  {
    std::vector<Data<int&>> data;
    for (int& one : chains) data.push_back(runtime.data(one));
    const auto sum = runtime.data(together);
    Random random(1, 1);
    for (int i = 0; i < tasks; ++i) {
      const std::size_t chain = random.below(kData);
      ++expected[chain];
      runtime.submit(kAddOneInt, rw(data[chain]));
      runtime.submit(kAddOneInt, commute(sum));
      runtime.submit(kEmpty);
      if (waits && i % 100 == 99) runtime.wait();
    }
    runtime.wait();
  }
  EXPECT_EQ(chains, expected);
  EXPECT_EQ(together, tasks);
}

TEST(Waves, GiveTheSameResultsWhateverMayWait) {
  for (const std::string policy : {"eager", "dmdas", "heft", "heteroprio-dep"}) {
    for (const std::size_t limit : {std::size_t{1}, std::size_t{7}, kLimit}) {
      for (const bool waits : {false, true}) {
        Runtime runtime({.workers = "cpu=2", .policy = policy, .most_waiting = limit, .trace = true, .history = ""});
        run_waves(runtime, test::rounds(1'000), waits);
        expect_valid(runtime, policy + " with " + std::to_string(limit));
      }
    }
  }
}

TEST(Waves, CrossContexts) {
  for (const std::size_t limit : {std::size_t{1}, kLimit}) {
    Runtime runtime({.workers = "cpu=2", .most_waiting = limit, .trace = true, .history = ""});
    const SchedulingContext one = runtime.context({.name = "one", .workers = "cpu=1", .policy = "dmdas"});
    const SchedulingContext other = runtime.context({.name = "other", .workers = "cpu=1"});
    const int tasks = test::rounds(1'000);
    int x = 0;
    {
      const auto a = runtime.data(x);
      for (int i = 0; i < tasks; ++i) runtime.submit(in(i % 2 == 0 ? one : other), kAddOneInt, rw(a));
      runtime.wait();
    }
    EXPECT_EQ(x, tasks);
    expect_valid(runtime);
  }
}

TEST(Waves, GoOnAfterFailuresAndCancellation) {
  const Kernel fail("fail", on_cpu([](int&) { throw std::runtime_error("fails"); }));
  for (const std::size_t limit : {std::size_t{1}, kLimit}) {
    Runtime runtime({.workers = "cpu=2", .most_waiting = limit, .trace = true, .history = ""});
    int x = 0;
    int y = 0;
    const int tasks = test::rounds(1'000);
    {
      const auto a = runtime.data(x);
      const auto b = runtime.data(y);
      runtime.submit(fail, rw(a));
      for (int i = 0; i < tasks; ++i) runtime.submit(kAddOneInt, rw(a)), runtime.submit(kAddOneInt, rw(b));
      EXPECT_THROW(runtime.wait(), TaskFailure);
      EXPECT_EQ(y, tasks);
      for (int i = 0; i < tasks; ++i) {
        runtime.submit(kAddOneInt, rw(b));
        if (i % 100 == 50) runtime.cancel();
      }
      try {
        runtime.wait();
      } catch (const Cancelled&) {
      }
      y = 0;
      for (int i = 0; i < tasks; ++i) runtime.submit(kAddOneInt, rw(b));
      runtime.wait();
    }
    EXPECT_EQ(y, tasks);
    expect_valid(runtime);
  }
}

/// Submits one of the engine's tasks, inside a task as well.
void submit_to(Engine& engine, const Kernel<>& kernel) {
  TaskOptions options;
  static_cast<void>(engine.submit(kernel.info(), {}, {}, options));
}

TEST(Waves, ATaskThatSubmitsManyWaitsWhileOthersExecuteThem) {
  constexpr std::size_t kMost = 2048;
  constexpr std::size_t kMany = test::kSanitized ? 100'000 : 200'000;
  constexpr std::array kPolicies{"eager", "dmdas", "lws"};
  for (const std::string policy : kPolicies | std::views::take(test::rounds(kPolicies.size()))) {
    Engine engine({.workers = "cpu=2", .policy = policy, .most_waiting = kMost, .history = ""});
    std::uint64_t most = 0;
    const Kernel loop("loop", on_cpu([&] {
                        for (std::size_t i = 0; i < kMany; ++i) {
                          submit_to(engine, kEmpty);
                          most = std::max(most, engine.unfinished());
                        }
                      }));
    submit_to(engine, loop);
    engine.wait(Engine::Watch());
    EXPECT_EQ(engine.unfinished(), 0U);
    // A worker that the system does not run for a while looks as if it had nothing to do.
    EXPECT_LT(most, kMany / 4) << policy;
    EXPECT_LT(engine.records(), kMany / 2) << policy;
  }
}

/// Otherwise it would wait for ever.
TEST(Waves, ATaskThatSubmitsManyDoesNotWaitForItself) {
  constexpr int kMany = 5000;
  for (const std::string workers : {"cpu=1", "cpu=2", "cpu2=1"}) {
    Runtime runtime({.workers = workers, .most_waiting = 16, .history = ""});
    int x = 0;
    const auto datum = runtime.data(x);
    const Kernel loop("loop", on_cpu([&](int& value) {
                        for (int i = 0; i < kMany; ++i) runtime.submit(kAddOneInt, rw(datum));
                        value = 1;
                      }));
    runtime.submit(loop, rw(datum));
    runtime.wait();
    EXPECT_EQ(x, 1 + kMany) << workers;
  }
}

TEST(Waves, TasksThatAllSubmitManyDoNotWaitForEachOther) {
  constexpr int kMany = 5000;
  Runtime runtime({.workers = "cpu=2", .most_waiting = 16, .history = ""});
  std::array<int, 3> values{};
  {
    std::vector<Data<int&>> data;
    for (int& value : values) data.push_back(runtime.data(value));
    const Kernel loop("loop", on_cpu([&](int&) {
                        for (int i = 0; i < kMany; ++i) runtime.submit(kAddOneInt, commute(data.back()));
                      }));
    for (int i = 0; i < 2; ++i) runtime.submit(loop, rw(data[static_cast<std::size_t>(i)]));
    runtime.wait();
  }
  EXPECT_EQ(values.back(), 2 * kMany);
}

/// The worker of another context could have none of them.
TEST(Waves, ATaskThatSubmitsManyDoesNotWaitForOtherContexts) {
  constexpr int kMany = 2000;
  Runtime runtime({.workers = "cpu=2", .most_waiting = 16, .trace = true, .history = ""});
  const SchedulingContext one = runtime.context({.name = "one", .workers = "cpu=1"});
  const SchedulingContext other = runtime.context({.name = "other", .workers = "cpu=1"});
  int x = 0;
  int y = 0;
  {
    const auto a = runtime.data(x);
    const auto b = runtime.data(y);
    std::atomic<bool> is_over = false;
    const Kernel loop("loop", on_cpu([&](int&) {
                        for (int i = 0; i < kMany; ++i) runtime.submit(in(one), kEmpty);
                        is_over = true;
                        is_over.notify_all();
                      }));
    const Kernel hold("hold", on_cpu([&](int&) { is_over.wait(false); }));
    runtime.submit(in(other), hold, rw(b));
    runtime.submit(in(one), loop, rw(a));
    runtime.wait();
  }
  expect_valid(runtime);
}

}  // namespace
}  // namespace heddle::runtime
