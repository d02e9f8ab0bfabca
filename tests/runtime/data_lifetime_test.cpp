#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"

namespace heddle::runtime {
namespace {

void sleep_for_a_while() {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

const Kernel kAdd("add", on_cpu([](int& x) { sleep_for_a_while(), ++x; }));
const Kernel kLook("look", on_cpu([](const int& x, int& seen) { sleep_for_a_while(), seen = x; }));
const Kernel kFail("fail", on_cpu([](int&) { sleep_for_a_while(), throw std::runtime_error("the kernel failed"); }));

/// Nobody's task waits behind one that runs.
const Config kAnyoneIsServed{.workers = "cpu=2", .policy = "eager", .history = ""};

/// A task that lasts until it is let go, or for so long that a test has failed; it takes one of the workers.
class LongTask {
 public:
  explicit LongTask(Runtime& runtime) {
    const Kernel kernel("long", on_cpu([this] {
                          const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                          while (!open_ && std::chrono::steady_clock::now() < deadline) sleep_for_a_while();
                          over_ = true;
                        }));
    runtime.submit(kernel);
  }
  [[nodiscard]] bool is_over() const { return over_; }
  void let_go() { open_ = true; }

 private:
  std::atomic<bool> open_ = false;
  std::atomic<bool> over_ = false;
};

TEST(DataLifetime, EndsWhenAllTasksOnTheDatumHaveEnded) {
  std::vector<int> values(100, 0);
  Runtime runtime({.workers = "cpu=2"});
  for (int& value : values) {
    const auto a = runtime.data(value);
    runtime.submit(kAdd, rw(a));
    runtime.submit(kAdd, rw(a));
  }
  EXPECT_THAT(values, testing::Each(2));
}

TEST(DataLifetime, WaitsForAllOfAGroup) {
  int x = 0;
  std::vector<int> seen(20, 0);
  Runtime runtime({.workers = "cpu=2"});
  std::vector<Data<int&>> data;
  for (int& one : seen) data.push_back(runtime.data(one));
  {
    const auto a = runtime.data(x);
    for (int i = 0; i < 20; ++i) runtime.submit(kAdd, commute(a));
  }
  EXPECT_EQ(x, 20);
  {
    const auto a = runtime.data(x);
    for (int i = 0; i < 20; ++i) runtime.submit(kAdd, reduce(a));
  }
  EXPECT_EQ(x, 40);
  {
    const auto a = runtime.data(x);
    runtime.submit(kAdd, rw(a));
    for (const auto& one : data) runtime.submit(kLook, read(a), write(one));
  }
  // They have ended, or what they read would be gone.
  x = 0;
  runtime.wait();
  EXPECT_THAT(seen, testing::Each(41));
}

TEST(DataLifetime, DoesNotWaitForOtherTasks) {
  int x = 0;
  Runtime runtime(kAnyoneIsServed);
  LongTask other(runtime);
  for (int round = 1; round <= 50; ++round) {
    {
      const auto a = runtime.data(x);
      for (int i = 0; i < 5; ++i) runtime.submit(kAdd, rw(a));
      for (int i = 0; i < 5; ++i) runtime.submit(kAdd, commute(a));
    }
    EXPECT_EQ(x, 10 * round);
  }
  EXPECT_FALSE(other.is_over());
  other.let_go();
  runtime.wait();
}

TEST(DataLifetime, WaitsForFailedTasksAndThoseThatCannotRunBecauseOfThem) {
  int x = 0;
  Runtime runtime(kAnyoneIsServed);
  LongTask other(runtime);
  for (int round = 0; round < 20; ++round) {
    const auto a = runtime.data(x);
    runtime.submit(kFail, rw(a));
    runtime.submit(kAdd, rw(a));
  }
  EXPECT_FALSE(other.is_over());
  other.let_go();
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(x, 0);
}

TEST(DataLifetime, WaitsForCancelledTasks) {
  int x = 0;
  Runtime runtime(kAnyoneIsServed);
  LongTask other(runtime);
  {
    const auto a = runtime.data(x);
    for (int i = 0; i < 1000; ++i) runtime.submit(kAdd, rw(a));
    runtime.cancel();
  }
  const int after = x;
  EXPECT_FALSE(other.is_over());
  other.let_go();
  EXPECT_THROW(runtime.wait(), Cancelled);
  EXPECT_EQ(x, after);
  EXPECT_LT(x, 1000);
}

TEST(DataLifetime, WaitsForRunsOfRecordedTasksButNotForWhatComesLater) {
  int x = 0;
  int y = 0;
  int seen = 0;
  Runtime runtime(kAnyoneIsServed);
  const auto b = runtime.data(y);
  const auto c = runtime.data(seen);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  const Graph first = runtime.record([&] {
    runtime.submit(kAdd, rw(*a));
    for (int i = 0; i < 10; ++i) runtime.submit(kLook, read(*a), rw(c));
  });
  const Graph second = runtime.record([&] { runtime.submit(kAdd, rw(b)); });
  for (int i = 0; i < 5; ++i) runtime.run(first);
  runtime.run(second);
  LongTask other(runtime);
  runtime.run(second);
  a.reset();
  EXPECT_EQ(x, 5);
  EXPECT_EQ(seen, 5);
  EXPECT_FALSE(other.is_over());
  other.let_go();
  runtime.wait();
  EXPECT_EQ(y, 2);
}

TEST(DataLifetime, DoesNotWaitForOtherTasksOfItsRun) {
  int x = 0;
  int y = 0;
  Runtime runtime(kAnyoneIsServed);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  const auto b = runtime.data(y);
  std::atomic<bool> gone = false;
  const Kernel last("last", on_cpu([&gone](int& value) {
                      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                      while (!gone && std::chrono::steady_clock::now() < deadline) sleep_for_a_while();
                      value = gone ? 1 : 2;
                    }));
  const Graph graph = runtime.record([&] {
    runtime.submit(kAdd, rw(*a));
    runtime.submit(kAdd, rw(*a));
    runtime.submit(last, write(b));
  });
  runtime.run(graph);
  a.reset();
  gone = true;
  EXPECT_EQ(x, 2);
  runtime.wait();
  EXPECT_EQ(y, 1);
}

/// Restarts the first task once, as soon as somebody has nothing else to do.
class RestartsTheFirst {
 public:
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    for (const WorkerId worker : view.platform().workers()) {
      if (!view.is_idle(worker)) continue;
      if (!ready_.empty()) {
        const TaskId task = ready_.front();
        ready_.erase(ready_.begin());
        return policy::run(task, worker);
      }
      if (!restarted_ && view.running(WorkerId{0}) == TaskId{0}) {
        restarted_ = true;
        return policy::restart(TaskId{0}, worker);
      }
    }
    return policy::wait();
  }

 private:
  std::vector<TaskId> ready_;
  bool restarted_ = false;
};

TEST(DataLifetime, DoesNotWaitForAbortedKernelsThatHaveNothingToDoWithIt) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2", .decider = policy::Policy(RestartsTheFirst()), .history = ""});
  std::atomic<int> begun = 0;
  std::atomic<bool> gone = false;
  std::atomic<bool> waited = false;
  const Kernel twice("twice", on_cpu([&](int& value) {
                       if (begun++ == 0) {  // it is aborted, and does not care
                         const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                         while (!gone && std::chrono::steady_clock::now() < deadline) sleep_for_a_while();
                         waited = !gone;
                       } else {
                         ++value;
                       }
                     }));
  // When it ends, the policy is asked again.
  const Kernel other("other", on_cpu([&](int& value) {
                       while (begun == 0) sleep_for_a_while();
                       ++value;
                     }));
  const auto a = runtime.data(x);
  {
    const auto b = runtime.data(y);
    const Graph graph = runtime.record([&] {
      runtime.submit(twice, rw(a));
      runtime.submit(other, rw(b));
    });
    runtime.run(graph);
  }
  gone = true;
  runtime.wait();
  EXPECT_FALSE(waited);
  EXPECT_EQ(x, 1);
  EXPECT_EQ(y, 1);
  EXPECT_EQ(begun, 2);
}

TEST(DataLifetime, EndsThatOfGraphsThatUseIt) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto b = runtime.data(y);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  const Graph on_both = runtime.record([&] { runtime.submit(kAdd, rw(*a)), runtime.submit(kAdd, rw(b)); });
  const Graph on_one = runtime.record([&] { runtime.submit(kAdd, rw(b)); });
  const Graph of_its_own = runtime.record([&] {
    int z = 0;
    const auto c = runtime.data(z);
    runtime.submit(kAdd, rw(c));
  });
  runtime.run(on_both);
  a.reset();
  EXPECT_EQ(x, 1);
  EXPECT_THROW(runtime.run(on_both), InputError);
  EXPECT_THROW(runtime.run(of_its_own), InputError);
  runtime.run(on_one);
  runtime.wait();
  EXPECT_EQ(x, 1);
  EXPECT_EQ(y, 2);
}

TEST(DataLifetime, WaitsForARunThatAFailureEnds) {
  int x = 0;
  int y = 0;
  Runtime runtime(kAnyoneIsServed);
  const auto b = runtime.data(y);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  const Graph graph = runtime.record([&] {
    runtime.submit(kFail, rw(b));
    for (int i = 0; i < 10; ++i) runtime.submit(kLook, read(b), rw(*a));
  });
  runtime.run(graph);
  LongTask other(runtime);
  a.reset();
  EXPECT_FALSE(other.is_over());
  other.let_go();
  EXPECT_THROW(runtime.wait(), std::runtime_error);
}

/// Policies that look ahead when they decide are shown where all data is.
TEST(DataLifetime, MayEndWhileThePolicyGoesOn) {
  const auto add = [](int& x) { sleep_for_a_while(), ++x; };
  const Kernel kernel("add", on_cpu(add), on_opencl_native(add));
  for (const std::string& policy : runtime_specs()) {
    SCOPED_TRACE(policy);
    std::vector<int> values(10, 0);
    int other = 0;
    Runtime runtime({.workers = "cpu=1,fake=1",
                     .backends = {std::make_shared<FakeBackend>(FakeBackend::Options{})},
                     .policy = policy,
                     .history = ""});
    const auto b = runtime.data(other);
    std::vector<Data<int&>> data;
    for (int& value : values) data.push_back(runtime.data(value));
    for (const auto& one : data) runtime.submit(kernel, rw(one));
    for (int i = 0; i < 30; ++i) runtime.submit(kernel, rw(b));
    data.clear();
    EXPECT_THAT(values, testing::Each(1));
    runtime.wait();
    EXPECT_EQ(other, 30);
  }
}

}  // namespace
}  // namespace heddle::runtime
