// What the engine's threads do for each other and for the program: who is woken, who is given how much, and when parts
// of the program are let go.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/dealer.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/on_first_class.hpp"

namespace heddle::runtime::threads_test {
namespace {

const Kernel<int&> kIncrement("increment", on_cpu([](int& x) { ++x; }));

/// What a callback has captured may call back as it goes, also when it is never called.
TEST(Threads, WhatACallbackHoldsGoesAfterTheLock) {
  struct Guard {
    Runtime* runtime;
    std::atomic<int>* gone;
    ~Guard() {
      runtime->cancel();
      ++*gone;
    }
  };
  int x = 0;
  std::atomic<int> gone = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const Kernel<int&> fails("fails", on_cpu([](int&) { throw std::runtime_error("stop"); }));
  for (int i = 1; i <= 20; ++i) {
    runtime.submit(i % 2 == 0 ? kIncrement : fails, rw(a),
                   on_done([guard = std::make_shared<Guard>(&runtime, &gone)] {}));
    if (i % 2 == 0) {
      runtime.wait();
    } else {
      EXPECT_THROW(runtime.wait(), std::runtime_error);
    }
    ASSERT_EQ(gone, i);
  }
}

/// Its first successor goes to another worker, who has not woken up when the callback submits a task.
TEST(Threads, WhatACallbackSubmitsWakesSomebodyWhoHasNothingToDo) {
  for (int i = 0; i < 20; ++i) {
    std::vector<int> x(4);
    std::atomic<bool> begun = false;
    std::atomic<bool> in_vain = false;
    Runtime runtime({.workers = "cpu=4", .policy = "eager", .bind = false, .history = ""});
    std::vector<Data<int&>> data;
    for (int& one : x) data.push_back(runtime.data(one));
    const Kernel<int&> first("first", on_cpu([](int&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }));
    const Kernel<const int&, int&> awaits("awaits", on_cpu([&](const int&, int&) {
                                            const auto end =
                                                std::chrono::steady_clock::now() + std::chrono::seconds(20);
                                            while (!begun && std::chrono::steady_clock::now() < end)
                                              std::this_thread::sleep_for(std::chrono::microseconds(100));
                                            if (!begun) in_vain = true;
                                          }));
    const Kernel<int&> begins("begins", on_cpu([&](int&) { begun = true; }));
    runtime.submit(first, rw(data[0]), on_done([&] { runtime.submit(begins, rw(data[3])); }));
    runtime.submit(awaits, read(data[0]), rw(data[1]));
    runtime.submit(awaits, read(data[0]), rw(data[2]));
    runtime.wait();
    ASSERT_FALSE(in_vain);
  }
}

/// An exception that passes the engine by would leave the threads that it has started, which ends the program.
TEST(Threads, WithoutMemoryForThemThereIsNone) {
  const auto warn = [](const std::string&) { throw std::bad_alloc(); };
  try {
    const Runtime runtime({.workers = "cpu=1000", .history = "", .warn = warn});
    FAIL() << "there are threads";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the threads of 1000 workers cannot be started: there is no memory left");
  }
}

// A sanitizer takes processor time of its own, and wants more address space than there is here.
#ifndef HEDDLE_SANITIZED
/// The only task of a kernel that nobody has measured takes much less than was believed: what has been learnt then is
/// no reason to look around until there is something to decide.
TEST(Threads, SleepWhenNothingIsLeft) {
  int x = 0;
  Runtime runtime({.workers = "cpu=1", .policy = "eager", .history = ""});
  const auto a = runtime.data(x);
  runtime.submit(kIncrement, rw(a));
  runtime.wait();
  // Threads spin for a while before they sleep, those of BLAS too.
  constexpr int kTries = 100;
  int tries = 0;
  for (double used = 1; used > 0.1 && tries < kTries; ++tries) {
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / 0.1;
  }
  EXPECT_LT(tries, kTries) << "the threads use a tenth of a core or more for ten seconds";
}

TEST(ThreadsDeathTest, WithoutThreadsThereIsNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto make = [] {
    const rlimit little{std::uint64_t{3} << 30, std::uint64_t{3} << 30};
    setrlimit(RLIMIT_AS, &little);
    try {
      const Runtime runtime({.workers = "cpu=1000", .history = ""});
    } catch (const InputError& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(2);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(make(), testing::ExitedWithCode(2), "the threads of 1000 workers cannot be started");
}
#endif

/// What measured durations would otherwise tell the next policy of.
TEST(Threads, WhatThePolicyTakesToDecideIsNotTheTasks) {
  static constexpr std::chrono::milliseconds kSlow(10);
  struct Slow : OnFirstClass {
    [[nodiscard]] policy::Action next(const policy::View& view) {
      std::this_thread::sleep_for(kSlow);
      return OnFirstClass::next(view);
    }
  };
  int x = 0;
  Runtime runtime({.workers = "cpu=1", .decider = policy::Policy(Slow()), .trace = true, .history = ""});
  const auto a = runtime.data(x);
  for (int i = 0; i < 10; ++i) runtime.submit(kIncrement, rw(a));
  runtime.wait();
  const Trace trace = runtime.trace();
  Time least = kMaxTime;
  for (const auto& attempt : trace.schedule.attempts) least = std::min(least, attempt.end - attempt.start);
  EXPECT_LT(least, std::chrono::nanoseconds(kSlow).count() * (kMicrosecond / 1000));
}

/// Who is woken to look at what is pending may look too early, and be given a task by another one.
TEST(Threads, SomebodyIdleLooksAtWhatIsPendingWhileOthersAreBusy) {
  struct SlowToStart : OnFirstClass {
    static void start(const policy::View&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  };
  constexpr int kWorkers = 3;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> there = 0;
    std::atomic<bool> met = true;
    const Kernel meet("meet", on_cpu([&] {
                        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                        for (++there; there < kWorkers && met;) {
                          if (std::chrono::steady_clock::now() > deadline) met = false;
                          std::this_thread::sleep_for(std::chrono::microseconds(50));
                        }
                      }));
    Runtime runtime({.workers = "cpu=3", .decider = policy::Policy(SlowToStart()), .bind = false, .history = ""});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // they fall asleep
    runtime.submit(meet);
    runtime.submit(meet);
    std::this_thread::sleep_for(std::chrono::microseconds(300 + 100 * round));  // an epoch begins, without the third
    runtime.submit(meet);
    runtime.wait();
    ASSERT_TRUE(met) << round;
  }
}

/// The long task is believed to take a millisecond, and ends when the short one is done. Of unlike workers some
/// policies choose the class whatever is going on there (er-ls, qa, mix-eft).
TEST(Threads, NobodyWaitsForATaskThatTakesLongerThanBelievedWhileAnotherWorkerIsIdle) {
  for (const std::string& policy : runtime_policies()) {
    for (const std::string workers : {"cpu=2", "cpu=1,cpu2=1"}) {
      if (workers != "cpu=2" && !policy.starts_with("dm")) continue;
      std::atomic<bool> done = false;
      std::atomic<bool> late = false;
      std::atomic<bool> began = false;
      const Kernel lasts("lasts", on_cpu([&](const Job& job) {
                           began = true;
                           const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                           while (!done && !late && !job.stop_token().stop_requested()) {
                             late = std::chrono::steady_clock::now() > latest;
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                           }
                         }));
      const Kernel quick("quick", on_cpu([&] { done = true; }));
      Runtime runtime({.workers = workers, .policy = policy, .history = ""});
      runtime.submit(lasts);
      while (!began) std::this_thread::yield();
      runtime.submit(quick);
      runtime.wait();
      EXPECT_FALSE(late) << policy << ", " << workers;
    }
  }
}

/// Where tasks are so short that workers wait for each other, some back off.
TEST(Threads, WorkersThatBackOffComeBackWhenThereIsWorkForThem) {
  constexpr int kWorkers = 4;
  // Policies that leave nobody idle while there are tasks.
  for (const char* policy : {"eager", "prio", "heteroprio", "heteroprio-dep", "ws", "lws", "xkaapi-ws"}) {
    SCOPED_TRACE(policy);
    std::atomic<int> there = 0;
    std::atomic<bool> met = true;
    const Kernel add("add", on_cpu([](int& x) { ++x; }));
    // All of them at a time, or a test has failed.
    const Kernel meet("meet", on_cpu([&](int& x) {
                        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                        for (++there; there % kWorkers != 0 && met;) {
                          if (std::chrono::steady_clock::now() > deadline) met = false;
                          std::this_thread::yield();
                        }
                        ++x;
                      }));
    std::vector<int> values(100, 0);
    Runtime runtime({.workers = "cpu=4", .policy = policy, .bind = false, .history = ""});
    std::vector<Data<int&>> data;
    for (int& value : values) data.push_back(runtime.data(value));
    for (int round = 1; round <= 3; ++round) {
      for (int i = 0; i < 50; ++i) {
        for (const auto& one : data) runtime.submit(add, rw(one));
      }
      for (std::size_t i = 0; i < kWorkers; ++i) runtime.submit(meet, rw(data[i]));
      runtime.wait();
      EXPECT_TRUE(met);
    }
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i < kWorkers ? 153 : 150);
  }
}

/// Numbers of a program, and a graph that increments each of them so often.
class Increments {
 public:
  Increments(Runtime& runtime, std::size_t count, int times)
      : values_(count, 0), data_(registered(runtime, values_)), graph_(runtime.record([&] {
          for (int i = 0; i < times; ++i) {
            for (const auto& one : data_) runtime.submit(kIncrement, rw(one));
          }
        })) {}

  [[nodiscard]] const std::vector<int>& values() const { return values_; }
  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  static std::vector<Data<int&>> registered(Runtime& runtime, std::vector<int>& values) {
    std::vector<Data<int&>> data;
    for (int& value : values) data.push_back(runtime.data(value));
    return data;
  }

  std::vector<int> values_;
  std::vector<Data<int&>> data_;
  Graph graph_;
};

TEST(Threads, WorkersThatComeAndGoLoseNoTask) {
  const Dealer slow(std::make_shared<Dealer::Seen>(), std::chrono::microseconds(2));
  Runtime runtime({.workers = "cpu=2", .decider = policy::Policy(slow), .bind = false, .history = ""});
  const Increments increments(runtime, 200, 10);
  for (int run = 1; run <= 50; ++run) {
    runtime.run(increments.graph());
    runtime.wait();
  }
  for (const int value : increments.values()) EXPECT_EQ(value, 500);
}

TEST(Threads, WorkersThatBackOffKeepNothingFromOthersWhateverThePolicy) {
  for (const std::string& policy : runtime_policies()) {
    SCOPED_TRACE(policy);
    Runtime runtime({.workers = "cpu=3,cpu2=1", .policy = policy, .bind = false, .history = ""});
    const Increments increments(runtime, 100, 5);
    for (int run = 1; run <= 5; ++run) {
      runtime.run(increments.graph());
      runtime.wait();
    }
    for (const int value : increments.values()) EXPECT_EQ(value, 25);
  }
}

}  // namespace
}  // namespace heddle::runtime::threads_test
