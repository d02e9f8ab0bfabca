// More tasks than may wait at once: the program waits, and records of tasks are used again.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
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

}  // namespace
}  // namespace heddle::runtime
