// Attempts that are aborted at random leave no trace in the data.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {
namespace {

Config spoliating(const char* workers, std::uint64_t seed) {
  return {.workers = workers, .decider = policy::Policy(RandomSpoliation(seed)), .trace = true};
}

TEST(Spoliation, ResultsAreThoseOfASequentialRun) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const DataFlow flow(seed, 200, std::chrono::microseconds(10 * (seed % 3)));
    for (const char* workers : {"cpu=1,cpu2=1", "cpu=3,cpu2=2"}) {
      Runtime runtime(spoliating(workers, seed));
      ASSERT_EQ(flow.run(runtime), flow.expected()) << workers << ", seed " << seed;
      expect_valid(runtime);
    }
  }
}

TEST(Spoliation, HappensHere) {
  const DataFlow flow(7, 300, std::chrono::microseconds(100));
  Runtime runtime(spoliating("cpu=2,cpu2=1", 7));
  EXPECT_EQ(flow.run(runtime), flow.expected());
  EXPECT_GT(runtime.trace().schedule.aborted_attempts(), 20U);
}

/// Runs tasks on the first class, and restarts the first task on the other class as soon as it runs; again, if the
/// system did not run the other class's thread, so that the task was withdrawn from it.
class RestartOnOtherClass {
 public:
  void ready(const policy::View&, std::span<const TaskId> tasks) { ready_.assign(tasks.begin(), tasks.end()); }
  void started(const policy::View& view, TaskId, WorkerId worker) {
    on_first_class_ = view.platform().class_of(worker) == ClassId{0};
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    if (!ready_.empty() && view.has_idle(ClassId{0})) {
      const TaskId task = ready_.back();
      ready_.pop_back();
      return policy::run(task, view.first_idle(ClassId{0}));
    }
    if (!on_first_class_ || !view.has_idle(ClassId{1})) return policy::wait();
    return policy::restart(TaskId{0}, view.first_idle(ClassId{1}));
  }

 private:
  std::vector<TaskId> ready_;
  bool on_first_class_ = false;
};

TEST(Spoliation, AKernelWithAStopTokenGivesItsWorkerBackAtOnce) {
  const Kernel endless("endless", on_cpu([](const Job& job, int& x) {
                         if (job.team().size() > 1) {
                           ++x;
                           return;
                         }
                         while (!job.stop_token().stop_requested()) std::this_thread::yield();
                         x = -1;
                       }));
  int x = 41;
  Runtime runtime({.workers = "cpu=1,cpu2=1", .decider = policy::Policy(RestartOnOtherClass())});
  const auto a = runtime.data(x);
  runtime.submit(endless, rw(a));
  runtime.wait();
  EXPECT_EQ(x, 42);
}

/// Throws what a task failed with.
void wait_for_cause(Runtime& runtime) {
  try {
    runtime.wait();
  } catch (const TaskFailure& failure) {
    failure.rethrow_nested();
  }
}

TEST(Spoliation, ATaskFailsWhenThereIsNoMemoryForWhatItWrites) {
  if constexpr (test::kSanitized) GTEST_SKIP() << "sanitizers end the program when so much memory is asked for";
  const Kernel touch("touch", on_cpu([](std::span<char> all) { all[0] = 1; }));
  const Kernel set("set", on_cpu([](int& x) { x = 3; }));
  char memory = 0;
  int x = 0;
  Runtime runtime({.workers = "cpu=1,cpu2=1", .policy = "heteroprio-dep"});
  const auto huge = runtime.data(std::span(&memory, std::size_t{1} << 60));
  const auto a = runtime.data(x);
  runtime.submit(touch, rw(huge));
  runtime.submit(set, write(a));
  EXPECT_THROW(wait_for_cause(runtime), std::bad_alloc);
  EXPECT_EQ(x, 3);
}

TEST(Spoliation, WhatCouldNotBeginMayBeRestarted) {
  if constexpr (test::kSanitized) GTEST_SKIP() << "sanitizers end the program when so much memory is asked for";
  const Kernel touch("touch", on_cpu([](std::span<char> all, int& x) { all[0] = 1, x = 1; }));
  char memory = 0;
  int x = 0;
  Runtime runtime({.workers = "cpu=1,cpu2=1", .decider = policy::Policy(RestartOnOtherClass())});
  const auto huge = runtime.data(std::span(&memory, std::size_t{1} << 60));
  const auto a = runtime.data(x);
  runtime.submit(touch, rw(huge), rw(a));
  EXPECT_THROW(wait_for_cause(runtime), std::bad_alloc);
  EXPECT_EQ(x, 0);
}

TEST(Spoliation, AFailureOfALostAttemptIsNobodys) {
  const Kernel fails("fails alone", on_cpu([](const Job& job, int& x) {
                       if (job.team().size() == 1) {
                         while (!job.stop_token().stop_requested()) std::this_thread::yield();
                         throw std::runtime_error("lost");
                       }
                       x = 1;
                     }));
  int x = 0;
  Runtime runtime({.workers = "cpu=1,cpu2=1", .decider = policy::Policy(RestartOnOtherClass())});
  const auto a = runtime.data(x);
  runtime.submit(fails, write(a));
  runtime.wait();
  EXPECT_EQ(x, 1);
}

}  // namespace
}  // namespace heddle::runtime
