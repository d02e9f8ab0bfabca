#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

namespace heddle::runtime::data_lifetime_test {
namespace {

void sleep_for_a_while() {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

/// Waits until it holds, or for so long that a test has failed. Whether it does.
template <class Condition>
bool wait_until(Condition&& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds() && std::chrono::steady_clock::now() < deadline) sleep_for_a_while();
  return holds();
}

bool wait_for(const std::atomic<bool>& flag) {
  return wait_until([&flag] { return flag.load(); });
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
                          wait_for(open_);
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
    std::atomic<bool> is_cancelled = false;
    const auto a = runtime.data(x);
    runtime.submit(Kernel("await", on_cpu([&](int&) { wait_for(is_cancelled); })), rw(a));
    for (int i = 0; i < 1000; ++i) runtime.submit(kAdd, rw(a));
    runtime.cancel();
    is_cancelled = true;
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

TEST(DataLifetime, WaitsForTheLastOfTheRunsOfAllGraphsThatUseIt) {
  int x = 0;
  Runtime runtime(kAnyoneIsServed);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  const auto add = [&](int times) {
    for (int i = 0; i < times; ++i) runtime.submit(kAdd, rw(*a));
  };
  const Graph first = runtime.record([&] { add(20); });
  const Graph second = runtime.record([&] { add(1); });
  runtime.run(second);
  runtime.run(first);
  a.reset();
  EXPECT_EQ(x, 21);
}

TEST(DataLifetime, WaitsForRunsOfAGraphThatIsGone) {
  int x = 0;
  Runtime runtime(kAnyoneIsServed);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  {
    const Graph graph = runtime.record([&] {
      for (int i = 0; i < 10; ++i) runtime.submit(kAdd, rw(*a));
    });
    for (int i = 0; i < 3; ++i) runtime.run(graph);
  }
  a.reset();
  EXPECT_EQ(x, 30);
}

TEST(DataLifetime, DoesNotWaitForOtherTasksOfItsRun) {
  int x = 0;
  int y = 0;
  Runtime runtime(kAnyoneIsServed);
  auto a = std::make_unique<Data<int&>>(runtime.data(x));
  const auto b = runtime.data(y);
  std::atomic<bool> gone = false;
  const Kernel last("last", on_cpu([&gone](int& value) { value = wait_for(gone) ? 1 : 2; }));
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

/// Restarts what runs, once, as soon as somebody has nothing else to do.
class RestartsOnce {
 public:
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    for (const WorkerId worker : view.platform().workers()) {
      if (!view.is_idle(worker)) continue;
      // The system may not have run the thread that was offered a task: then it is another one's turn.
      const auto fits = [&](TaskId task) { return view.can_run(task, view.platform().class_of(worker)); };
      if (const auto found = std::ranges::find_if(ready_, fits); found != ready_.end()) {
        const TaskId task = *found;
        ready_.erase(found);
        return policy::run(task, worker);
      }
      if (!ready_.empty()) continue;
      for (const WorkerId other : view.platform().workers()) {
        const TaskId task = view.running(other);
        if (!*restarted_ && task != kNone<TaskId>) {
          *restarted_ = true;
          return policy::restart(task, worker);
        }
      }
    }
    return policy::wait();
  }

 private:
  std::vector<TaskId> ready_;
  /// Of all copies: a kernel that takes long on a slow machine is enough for another epoch to begin, with a new one.
  std::shared_ptr<bool> restarted_ = std::make_shared<bool>(false);
};

/// What a kernel does whose first attempt is aborted, and does not care: it runs until the datum has gone.
struct AbortedOnce {
  std::atomic<int> begun = 0;
  std::atomic<bool> gone = false;
  std::atomic<bool> waited = false;  ///< the datum did not go before the first attempt had ended

  void operator()(int& value) {
    if (begun++ == 0) {
      waited = !wait_for(gone);
    } else {
      ++value;
    }
  }
};

/// A kernel that ends when another has begun: then the policy is asked again.
auto adds_after(const std::atomic<int>& begun) {
  return Kernel("other", on_cpu([&begun](int& value) {
                  while (begun == 0) sleep_for_a_while();
                  ++value;
                }));
}

TEST(DataLifetime, DoesNotWaitForAbortedKernelsThatHaveNothingToDoWithIt) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2", .decider = policy::Policy(RestartsOnce()), .history = ""});
  AbortedOnce attempts;
  const Kernel twice("twice", on_cpu([&attempts](int& value) { attempts(value); }));
  const auto other = adds_after(attempts.begun);
  const auto a = runtime.data(x);
  {
    const auto b = runtime.data(y);
    const Graph graph = runtime.record([&] {
      runtime.submit(twice, rw(a));
      runtime.submit(other, rw(b));
    });
    runtime.run(graph);
  }
  attempts.gone = true;
  runtime.wait();
  EXPECT_FALSE(attempts.waited);
  EXPECT_EQ(x, 1);
  EXPECT_EQ(y, 1);
  EXPECT_EQ(attempts.begun, 2);
}

TEST(DataLifetime, DoesNotWaitForAbortedKernelsOnOtherCopies) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=1,fake=1",
                   .backends = {std::make_shared<FakeBackend>(FakeBackend::Options{})},
                   .decider = policy::Policy(RestartsOnce()),
                   .history = ""});
  AbortedOnce attempts;  // the first one on the device
  const auto attempt = [&attempts](int& value) { attempts(value); };
  const Kernel twice("twice", on_cpu(attempt), on_opencl_native(attempt));
  const auto other = adds_after(attempts.begun);
  const auto b = runtime.data(y);
  {
    const auto a = runtime.data(x);
    const Graph graph = runtime.record([&] {
      runtime.submit(other, rw(b));
      runtime.submit(twice, rw(a));
    });
    runtime.run(graph);
  }
  EXPECT_EQ(x, 1);
  attempts.gone = true;
  runtime.wait();
  EXPECT_FALSE(attempts.waited);
  EXPECT_EQ(y, 1);
}

/// They know how from it.
TEST(DataLifetime, WaitsForAbortedKernelsThatReduceIntoIt) {
  int x = 1;
  Runtime runtime({.workers = "cpu=2", .decider = policy::Policy(RestartsOnce()), .history = ""});
  std::atomic<int> begun = 0;
  std::atomic<bool> returned = false;
  const auto other = adds_after(begun);
  const Kernel twice("twice", on_cpu([&](const Job& job, int& value) {
                       ++value;
                       if (begun++ > 0) return;
                       wait_until([&job] { return job.stop_token().stop_requested(); });
                       std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it does not hurry
                       returned = true;
                     }));
  {
    const auto a = runtime.data(x);
    const Graph graph = runtime.record([&] { runtime.submit(other, reduce(a)), runtime.submit(twice, reduce(a)); });
    runtime.run(graph);
  }
  EXPECT_EQ(begun, 2);
  EXPECT_TRUE(returned);
  EXPECT_EQ(x, 3);
  runtime.wait();
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

TEST(DataLifetime, MayEndWhileAnotherThreadRecords) {
  const Kernel count("count", on_cpu([](int& x) { ++x; }));
  std::vector<int> values(500, 0);
  Runtime runtime({.workers = "cpu=1", .history = ""});
  std::vector<Data<int&>> data;
  for (int& value : values) data.push_back(runtime.data(value));
  int released = 0;
  std::atomic<bool> enough = false;
  std::jthread other([&] {
    int x = 0;
    for (; released < 100; ++released) {
      const auto a = runtime.data(x);
      runtime.submit(count, rw(a));
    }
    enough = true;
  });
  const auto record = [&] {
    return runtime.record([&] {
      for (const auto& one : data) runtime.submit(count, rw(one));
    });
  };
  while (!enough) EXPECT_EQ(record().size(), data.size());
  runtime.run(record());
  runtime.wait();
  EXPECT_THAT(values, testing::Each(1));
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
}  // namespace heddle::runtime::data_lifetime_test
