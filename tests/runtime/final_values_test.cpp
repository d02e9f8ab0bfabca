// Values on devices that no task writes any more: they leave for home while other tasks run, once, and what fails on
// the way is tried again or told.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/increment.hpp"
#include "tests/runtime/valid_trace.hpp"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;
using Operation = FakeBackend::Operation;

/// Counts the copies out of a device once the runtime has measured its links.
class FinalValues : public testing::Test {
 protected:
  static constexpr std::chrono::seconds kLong{20};  ///< no test takes as long

  FinalValues() { backend_->start_failing(); }  // of which nothing does, but from now on it is told
  void note(Operation operation) {
    if (operation != Operation::copy_out) return;
    const std::lock_guard lock(mutex_);
    ++copies_out_;
    news_.notify_all();
  }
  bool await_copy_out() {
    std::unique_lock lock(mutex_);
    return news_.wait_for(lock, kLong, [this] { return copies_out_ > 0; });
  }

  std::mutex mutex_;
  std::condition_variable news_;
  int copies_out_ = 0;
  std::shared_ptr<FakeBackend> backend_ = fake({.before = [this](Operation operation) { note(operation); }});
  Runtime runtime_{with(backend_, "fake=1", "eager")};
  Increment increment_;
};

TEST_F(FinalValues, LeaveForHomeWhileOtherTasksRun) {
  std::atomic<bool> left = false;
  const Kernel<std::span<int>> until_sent("until sent", on_opencl_native([&](std::span<int> x) {
                                            left = await_copy_out();
                                            Increment::add_one(x);
                                          }));
  std::vector<int> first(100);
  std::vector<int> second(100);
  const auto a = runtime_.data(first);
  const auto b = runtime_.data(second);
  runtime_.submit(increment_.kernel, rw(a));
  runtime_.submit(until_sent, rw(b));
  runtime_.wait();
  EXPECT_TRUE(left);
  EXPECT_EQ(first, std::vector<int>(100, 1));
  EXPECT_EQ(second, std::vector<int>(100, 1));
  EXPECT_EQ(copies_out_, 2);
  expect_valid(runtime_);
}

/// The first copy out fails; while another task runs, it is early. It fails `after` that task has begun: before it
/// ends, or when all tasks have ended and the value is awaited.
void send_early_and_fail(std::chrono::milliseconds after) {
  const Increment increment;
  std::atomic<int> copies_out = 0;
  std::atomic<int> carried_out = 0;
  const auto backend = fake({
      .fails = [&](Operation operation, std::size_t,
                   std::size_t) { return operation == Operation::copy_out && copies_out++ == 0; },
      .before =
          [&](Operation operation) {
            if (operation == Operation::copy_out && carried_out++ == 0) std::this_thread::sleep_for(after);
          },
  });
  const auto await_failure = [&](std::span<int> x) {
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (copies_out == 0 && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
    Increment::add_one(x);
  };
  const Kernel<std::span<int>> until_failed("until failed", on_opencl_native(await_failure));
  std::vector<int> first(100);
  std::vector<int> second(100);
  Runtime runtime(with(backend, "fake=1", "eager"));
  backend->start_failing();
  const auto a = runtime.data(first);
  const auto b = runtime.data(second);
  runtime.submit(increment.kernel, rw(a));
  runtime.submit(until_failed, rw(b));
  EXPECT_NO_THROW(runtime.wait());
  EXPECT_EQ(first, std::vector<int>(100, 1));
  EXPECT_EQ(second, std::vector<int>(100, 1));
  EXPECT_EQ(copies_out, 3);
}

TEST(Devices, AFinalValueThatCouldNotBeSentEarlyIsSentAtTheEnd) {
  send_early_and_fail(0ms);
}

TEST(Devices, AFinalValueThatFailsWhenAllTasksHaveEndedIsSentAgain) {
  send_early_and_fail(100ms);
}

TEST_F(FinalValues, AreSentOnceHoweverOftenTheyWereWritten) {
  std::vector<std::vector<int>> vectors(3, std::vector<int>(100));
  std::vector<Data<std::span<int>>> data;
  for (auto& one : vectors) data.push_back(runtime_.data(one));
  const Graph graph = runtime_.record([&] {
    for (int round = 0; round < 10; ++round) {
      for (const auto& one : data) runtime_.submit(increment_.kernel, rw(one));
    }
  });
  runtime_.run(graph);
  runtime_.wait();
  for (const auto& one : vectors) EXPECT_EQ(one, std::vector<int>(100, 10));
  EXPECT_EQ(copies_out_, 3);
}

TEST_F(FinalValues, StayWhileNoThreadWaitsForAll) {
  std::vector<int> values(100);
  const auto a = runtime_.data(values);
  for (int round = 0; round < 5; ++round) runtime_.submit(increment_.kernel, rw(a)).wait();
  EXPECT_EQ(copies_out_, 0);
  runtime_.wait();
  EXPECT_EQ(copies_out_, 1);
  EXPECT_EQ(values, std::vector<int>(100, 5));
}

TEST(Devices, AFinalValueThatCannotComeHomeIsLost) {
  const Increment increment;
  const Kernel<std::span<int>> takes_long("takes long", on_cpu([](std::span<int> values) {
                                            std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                            Increment::add_one(values);
                                          }));
  for (const bool others_run_meanwhile : {false, true}) {
    const auto backend =
        fake({.fails = [](Operation operation, std::size_t, std::size_t) { return operation == Operation::copy_out; }});
    std::vector<int> x(10);
    std::vector<int> y(10);
    Runtime runtime(device_first(backend));
    backend->start_failing();
    const auto a = runtime.data(x);
    const auto b = runtime.data(y);
    runtime.submit(increment.kernel, rw(a));
    if (others_run_meanwhile) runtime.submit(takes_long, rw(b));
    EXPECT_THROW(runtime.wait(), std::runtime_error);
    EXPECT_EQ(x, std::vector<int>(10, 0)) << "what was lost stays as it was";
    EXPECT_EQ(y, std::vector<int>(10, others_run_meanwhile ? 1 : 0));
    runtime.submit(takes_long, rw(a));
    runtime.wait();
    EXPECT_EQ(x, std::vector<int>(10, 1));
  }
}

}  // namespace
}  // namespace heddle::runtime
