// Tasks that do not run: cancelled, of no use any more, or refused.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/on_first_class.hpp"
#include "tests/runtime/random_spoliation.hpp"

namespace heddle::runtime {
namespace {

const Kernel kIncrement("increment", on_cpu([](int& x) { ++x; }));
const Kernel kFail("fail", on_cpu([](int&) { throw std::runtime_error("the kernel failed"); }));

/// Counts how often it begins.
class Counting : public OnFirstClass {
 public:
  explicit Counting(std::shared_ptr<int> starts) : starts_(std::move(starts)) {}

  void start(const policy::View&) { ++*starts_; }

 private:
  std::shared_ptr<int> starts_;
};

std::vector<Data<int&>> register_all(Runtime& runtime, std::vector<int>& x) {
  std::vector<Data<int&>> data;
  for (int& one : x) data.push_back(runtime.data(one));
  return data;
}

/// A kernel that begins and ends when the test wants.
struct Gate {
  std::latch begun{1};
  std::latch go{1};
  Kernel<int&> kernel{"gate", on_cpu([this](int& x) {
                        begun.count_down();
                        go.wait();
                        ++x;
                      })};
};

TEST(Cancellation, AStopOfOneTaskIsNoneOfTheNext) {
  for (const char* workers : {"cpu=1", "cpu=2", "cpu=1,cpu2=1"}) {
    int x = 0;
    // Its attempts may be aborted.
    Runtime runtime({.workers = workers, .decider = policy::Policy(RandomSpoliation(1))});
    const auto a = runtime.data(x);
    const Kernel patient("patient", on_cpu([](const Job& job, int&) {
                           while (!job.stop_token().stop_requested()) std::this_thread::yield();
                         }));
    std::stop_source stop;
    const Task stopped = runtime.submit(patient, rw(a), until(stop.get_token()));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stop.request_stop();
    try {
      stopped.wait();
    } catch (const Cancelled&) {  // it had not begun
      EXPECT_THROW(runtime.wait(), Cancelled);
    }
    for (int i = 0; i < 100; ++i) runtime.submit(kIncrement, rw(a));
    runtime.wait();
    EXPECT_EQ(x, 100) << workers;
  }
}

TEST(Cancellation, WhoMayHaveGivenUpHasNotSucceeded) {
  for (const bool asks : {true, false}) {
    int x = 0;
    int y = 0;
    std::latch begun(1);
    std::atomic<bool> stopped = false;
    bool told = false;
    Runtime runtime({.workers = "cpu=1"});
    const auto a = runtime.data(x);
    const auto b = runtime.data(y);
    const Kernel half("half", on_cpu([&](const Job& job, int& value) {
                        value = 1;
                        begun.count_down();
                        while (asks ? !job.stop_token().stop_requested() : !stopped) std::this_thread::yield();
                        if (asks) return;
                        value = 2;
                      }));
    const Kernel copy("copy", on_cpu([](const int& from, int& to) { to = from; }));
    std::stop_source stop;
    runtime.submit(half, rw(a), until(stop.get_token()), on_done([&told] { told = true; }));
    const Task next = runtime.submit(copy, read(a), write(b));
    begun.wait();
    stop.request_stop();
    stopped = true;
    if (asks) {
      EXPECT_THROW(next.wait(), Cancelled);
      EXPECT_THROW(runtime.wait(), Cancelled);
    } else {
      runtime.wait();
    }
    EXPECT_EQ(y, asks ? 0 : 2);
    EXPECT_EQ(told, !asks);
  }
}

TEST(Cancellation, IsOfWhatWasSubmittedBefore) {
  Gate gate;
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  runtime.submit(gate.kernel, rw(a));
  gate.begun.wait();
  const Task before = runtime.submit(kIncrement, rw(b));
  runtime.cancel();
  const auto c = runtime.data(x);
  const Task after = runtime.submit(kIncrement, rw(a));
  gate.go.count_down();
  EXPECT_THROW(before.wait(), Cancelled);
  after.wait();
  EXPECT_THROW(runtime.wait(), Cancelled);
  EXPECT_EQ(x, 2);
  EXPECT_EQ(y, 0);
  // What was cancelled has left nothing behind.
  runtime.submit(kIncrement, rw(b));
  runtime.wait();
  EXPECT_EQ(y, 1);
}

TEST(Cancellation, OfManyTasksIsOneMatter) {
  Gate gate;
  constexpr int kTasks = 2000;
  std::vector<int> x(kTasks);
  const auto starts = std::make_shared<int>(0);
  Runtime runtime({.workers = "cpu=1", .decider = policy::Policy(Counting(starts))});
  const auto data = register_all(runtime, x);
  runtime.submit(gate.kernel, rw(data[0]));
  gate.begun.wait();
  for (const auto& one : data) runtime.submit(kIncrement, rw(one)), runtime.submit(kIncrement, rw(one));
  runtime.cancel();
  gate.go.count_down();
  EXPECT_THROW(runtime.wait(), Cancelled);
  EXPECT_LE(*starts, 20);
}

TEST(Cancellation, ManyFailuresTakeNoTimeThatGrowsWithTheGraph) {
  constexpr int kTasks = 2000;
  std::vector<int> x(kTasks);
  const auto starts = std::make_shared<int>(0);
  Runtime runtime({.workers = "cpu=1", .decider = policy::Policy(Counting(starts))});
  const auto data = register_all(runtime, x);
  runtime.run(runtime.record([&] {
    for (const auto& one : data) runtime.submit(kFail, rw(one)), runtime.submit(kIncrement, rw(one));
  }));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_LE(*starts, 200);
}

TEST(Cancellation, ASubmissionThatIsRefusedLeavesNothingPending) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const Kernel elsewhere("elsewhere", on_opencl_native([](int&) {}));
  const Kernel add("add", on_cpu([](int& sum) { ++sum; }));
  for (int i = 0; i < 10; ++i) runtime.submit(add, reduce(a));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_THROW(runtime.submit(elsewhere, rw(a)), InputError);
  runtime.wait();
  EXPECT_EQ(x, 10);
}

TEST(Cancellation, WhatIsNotRegisteredIsRefused) {
  Runtime runtime({.workers = "cpu=1"});
  Data<int&> nothing;
  EXPECT_THROW(runtime.submit(kIncrement, rw(nothing)), InputError);
  EXPECT_THROW(nothing.reduce_with(0, [](int& sum, const int& part) { sum += part; }), InputError);
  Graph graph = runtime.record([] {});
  const Graph moved = std::move(graph);
  EXPECT_EQ(graph.size(), 0U);                   // NOLINT(bugprone-use-after-move): what that does is asked
  EXPECT_THROW(runtime.run(graph), InputError);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace heddle::runtime
