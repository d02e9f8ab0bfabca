#include "heddle/runtime/runtime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <latch>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::runtime::runtime_test {
namespace {

using testing::ElementsAre;

const Kernel kAdd("add", on_cpu([](const int& x, int& y) { y += x; }));
const Kernel kSet("set", on_cpu([](int value, int& x) { x = value; }));
const Kernel kFail("fail", on_cpu([](int&) { throw std::runtime_error("the kernel failed"); }));

TEST(Runtime, RunsAKernelOnVectors) {
  const Kernel axpy("axpy", on_cpu([](double a, std::span<const double> x, std::span<double> y) {
                      for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
                    }));
  std::vector<double> x{1, 2, 3};
  std::vector<double> y{10, 20, 30};
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  runtime.submit(axpy, 2, read(a), rw(b));
  runtime.submit(axpy, 1.0, read(a), rw(b));
  runtime.wait();
  EXPECT_THAT(y, ElementsAre(13, 26, 39));
}

TEST(Runtime, RunsAKernelOnAMatrixWithALeadingDimension) {
  const Kernel fill("fill", on_cpu([](Matrix<int> a) {
                      for (std::size_t j = 0; j < a.columns; ++j) {
                        for (std::size_t i = 0; i < a.rows; ++i) a(i, j) = static_cast<int>(10 * i + j);
                      }
                    }));
  std::vector<int> memory(5 * 3, -1);
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(Matrix<int>{memory.data(), 2, 3, 5});
  runtime.submit(fill, write(a));
  runtime.wait();
  EXPECT_THAT(memory, ElementsAre(0, 10, -1, -1, -1, 1, 11, -1, -1, -1, 2, 12, -1, -1, -1));
}

TEST(Runtime, TasksOnTheSameDataRunInTheOrderOfSubmission) {
  int x = 0;
  const Kernel append("append", on_cpu([](int digit, int& number) { number = (number * 10 + digit) % 1'000'003; }));
  int expected = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  for (int i = 0; i < 10'000; ++i) {
    runtime.submit(append, i % 10, rw(a));
    expected = (expected * 10 + i % 10) % 1'000'003;
  }
  runtime.wait();
  EXPECT_EQ(x, expected);
}

TEST(Runtime, AKernelMayAskForItsJob) {
  std::vector<std::atomic<int>> seen(2);
  const Kernel where("where", on_cpu([&](const Job& job, int& x) {
                       ++seen[index(job.worker())];
                       x = static_cast<int>(job.arguments().size());
                     }));
  int x = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  runtime.submit(where, write(a));
  runtime.wait();
  EXPECT_EQ(x, 1);
  EXPECT_EQ(seen[0] + seen[1], 1);
}

TEST(Runtime, ATaskMayUseAnyNumberOfData) {
  const Kernel sum("sum", on_cpu([](const Job& job, int& total) {
                     for (const Argument& one : job.arguments() | std::views::drop(1)) {
                       total += *static_cast<const int*>(one.piece.address);
                     }
                   }));
  std::vector<int> values(20);
  std::iota(values.begin(), values.end(), 1);
  int total = 0;
  Runtime runtime({.workers = "cpu=2"});
  std::vector<Data<int&>> data;
  for (int& value : values) data.push_back(runtime.data(value));
  const auto result = runtime.data(total);
  for (std::size_t i = 1; i < data.size(); ++i) runtime.submit(kAdd, read(data.front()), rw(data[i]));
  std::vector<AnyUse> uses;
  for (const auto& datum : data) uses.emplace_back(read(datum));
  runtime.submit(sum, rw(result), also(uses));
  runtime.wait();
  EXPECT_EQ(total, 210 + 19);
}

TEST(Runtime, ATaskCanBeWaitedFor) {
  int x = 1;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const Task task = runtime.submit(kSet, 5, write(a));
  task.wait();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(x, 5);
}

TEST(Runtime, AnExceptionSurfacesAtTheWaitOnce) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Task failed = runtime.submit(kFail, rw(a));
  const Task dependent = runtime.submit(kAdd, read(a), rw(b));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_THROW(failed.wait(), std::runtime_error);
  EXPECT_THROW(dependent.wait(), std::runtime_error);
  EXPECT_EQ(y, 0);
  runtime.wait();
}

TEST(Runtime, DataThatNoFailedTaskWroteStaysValid) {
  int x = 0;
  int y = 1;
  int z = 2;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const auto c = runtime.data(z);
  runtime.submit(kFail, rw(a));
  runtime.submit(kAdd, read(b), rw(c));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(z, 3);
  // The program was told: what it makes of the void datum is valid.
  x = 5;
  runtime.submit(kAdd, read(a), rw(c));
  runtime.wait();
  EXPECT_EQ(z, 8);
}

TEST(Runtime, OverwritingWhatAFailedTaskLeftMakesItValid) {
  int x = 0;
  int y = 1;
  int z = 2;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const auto c = runtime.data(z);
  runtime.submit(kFail, rw(a));
  runtime.submit(kAdd, read(a), rw(c));
  runtime.submit(kSet, 40, write(a));
  runtime.submit(kAdd, read(a), rw(b));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(y, 41);
}

TEST(Runtime, AfterWaitsForTasksThatShareNoData) {
  int x = 0;
  int y = 0;
  std::latch go(1);
  const Kernel slow("slow", on_cpu([&](int& value) {
                      go.wait();
                      value = 1;
                    }));
  const Kernel check("check", on_cpu([&](int& value) { value = x; }));
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Task first = runtime.submit(slow, write(a));
  runtime.submit(check, write(b), after({first}));
  go.count_down();
  runtime.wait();
  EXPECT_EQ(y, 1);
}

TEST(Runtime, AFailureIsAlsoThatOfTasksAfterIt) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Task failed = runtime.submit(kFail, rw(a));
  runtime.submit(kSet, 1, write(b), after({failed}));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(y, 0);
}

TEST(Runtime, CallsBackWhenATaskIsDone) {
  int x = 0;
  std::atomic<int> called = 0;
  {
    Runtime runtime({.workers = "cpu=2"});
    const auto a = runtime.data(x);
    runtime.submit(kSet, 1, write(a), on_done([&] { ++called; }));
    runtime.submit(kFail, rw(a), on_done([&] { called += 100; }));
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  }
  EXPECT_EQ(called, 1);
}

TEST(Runtime, TasksSubmitTasks) {
  int sum = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto total = runtime.data(sum);
  const Kernel add("add one", on_cpu([](int& x) { ++x; }));
  int dummy = 0;
  const auto root = runtime.data(dummy);
  const Kernel spawn("spawn", on_cpu([&](int&) {
                       for (int i = 0; i < 100; ++i) runtime.submit(add, commute(total));
                     }));
  runtime.submit(spawn, rw(root));
  runtime.wait();
  EXPECT_EQ(sum, 100);
}

/// Short tasks are given several at once. Here one of them lasts until a successor of one before it has run: whoever is
/// idle then has to learn that the first has ended, though its worker is in the second.
TEST(Runtime, ALongTaskKeepsNoNewsOfShortOnes) {
  enum class Role : std::uint8_t { nothing, wait_for_begin, wait_for_successor, succeed };
  std::atomic<bool> began = false;
  std::atomic<bool> succeeded = false;
  std::atomic<int> timeouts = 0;
  const auto wait_for = [&timeouts](const std::atomic<bool>& flag) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!flag && timeouts == 0) {
      if (std::chrono::steady_clock::now() > deadline) ++timeouts;
    }
  };
  const Kernel step("step", on_cpu([&](Role role, int& times) {
                      ++times;
                      if (role == Role::wait_for_begin) wait_for(began);
                      if (role == Role::wait_for_successor) began = true, wait_for(succeeded);
                      if (role == Role::succeed) succeeded = true;
                    }));
  constexpr int kShort = 5;
  std::array<int, kShort + 3> times{};
  Runtime runtime({.workers = "cpu=2", .policy = "eager", .history = ""});
  std::vector<Data<int&>> data;
  for (int& one : times) data.push_back(runtime.data(one));
  const Graph graph = runtime.record([&] {
    runtime.submit(step, Role::wait_for_begin, rw(data[kShort]));
    for (int i = 0; i < kShort; ++i) runtime.submit(step, Role::nothing, rw(data[i]));
    runtime.submit(step, Role::nothing, rw(data[kShort + 1]));
    runtime.submit(step, Role::wait_for_successor, rw(data[kShort + 2]));
    runtime.submit(step, Role::succeed, rw(data[kShort + 1]));
  });
  constexpr int kRuns = 300;
  for (int run = 0; run < kRuns && timeouts == 0; ++run) {
    began = succeeded = false;
    runtime.run(graph);
    runtime.wait();
  }
  EXPECT_EQ(timeouts, 0);
  EXPECT_THAT(times, ElementsAre(kRuns, kRuns, kRuns, kRuns, kRuns, kRuns, 2 * kRuns, kRuns));
}

// What is submitted just then comes soon after many tasks were taken up, when a worker does not look around at once.
TEST(Runtime, AWorkerThatFallsAsleepMissesNoSubmission) {
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> open = false;
  const Kernel gate("gate", on_cpu([&open] {
                      while (!open) std::this_thread::yield();
                    }));
  const Kernel count("count", on_cpu([](int& x) { ++x; }));
  int x = 0;
  Runtime runtime({.workers = "cpu=1", .policy = "eager", .history = ""});
  const auto a = runtime.data(x);
  std::minstd_rand random(1);
  std::uniform_int_distribution pause(0, 6000);
  constexpr int kRounds = 20;
  constexpr int kMany = 1000;
  constexpr int kOneByOne = 500;
  for (int round = 0; round < kRounds; ++round) {
    open = false;
    runtime.submit(gate);
    for (int i = 0; i < kMany; ++i) runtime.submit(count, rw(a));
    open = true;
    for (int i = 0; i < kOneByOne; ++i) {
      runtime.submit(count, rw(a));
      const auto until = Clock::now() + std::chrono::nanoseconds(pause(random));
      while (Clock::now() < until) {
      }
    }
    runtime.wait();
  }
  EXPECT_EQ(x, kRounds * (kMany + kOneByOne));
}

TEST(Runtime, BoundsTheTasksThatWait) {
  int x = 0;
  Runtime runtime({.workers = "cpu=1", .most_waiting = 16});
  const auto a = runtime.data(x);
  std::atomic<int> running = 0;
  const Kernel count("count", on_cpu([&](int& value) {
                       ++value;
                       ++running;
                     }));
  for (int i = 0; i < 1000; ++i) {
    runtime.submit(count, rw(a));
    ASSERT_LE(i + 1 - running, 17);
  }
  runtime.wait();
  EXPECT_EQ(x, 1000);
}

TEST(Runtime, CancelsWhatHasNotBegun) {
  int x = 0;
  std::latch begun(1);
  std::latch go(1);
  const Kernel block("block", on_cpu([&](int& value) {
                       begun.count_down();
                       go.wait();
                       value = 1;
                     }));
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  runtime.submit(block, rw(a));
  runtime.submit(kSet, 2, write(a));
  begun.wait();
  runtime.cancel();
  go.count_down();
  EXPECT_THROW(runtime.wait(), Cancelled);
  EXPECT_EQ(x, 1);
  runtime.submit(kSet, 3, write(a));
  runtime.wait();
  EXPECT_EQ(x, 3);
}

TEST(Runtime, WhoWaitsMayWatch) {
  constexpr int kTasks = 400;
  std::atomic<int> ended = 0;
  std::atomic<bool> is_open = true;
  const Kernel kernel("wait", on_cpu([&] {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                        while (!is_open) std::this_thread::yield();
                        ++ended;
                      }));
  Runtime runtime({.workers = "cpu=1", .history = ""});
  const auto submit_all = [&] {
    for (int i = 0; i < kTasks; ++i) runtime.submit(kernel);
  };
  std::vector<std::uint64_t> seen;
  submit_all();
  runtime.wait([&](std::uint64_t unfinished) { seen.push_back(unfinished); });
  ASSERT_FALSE(seen.empty());
  EXPECT_LE(seen.front(), kTasks);
  EXPECT_TRUE(std::ranges::is_sorted(seen, std::greater()));
  EXPECT_EQ(ended, kTasks);
  is_open = false;
  submit_all();
  const auto enough = [&](std::uint64_t) {
    is_open = true;
    throw std::domain_error("enough");
  };
  EXPECT_THROW(runtime.wait(enough), std::domain_error);
  EXPECT_EQ(runtime.unfinished(), 0U);
  EXPECT_LT(ended, 2 * kTasks);
  runtime.wait(enough);  // nothing is left, and it was told
}

TEST(Runtime, AStopTokenCancelsItsTasks) {
  int x = 0;
  int y = 0;
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  std::stop_source stop;
  stop.request_stop();
  runtime.submit(kSet, 1, write(a), until(stop.get_token()));
  runtime.submit(kSet, 1, write(b));
  EXPECT_THROW(runtime.wait(), Cancelled);
  EXPECT_EQ(x, 0);
  EXPECT_EQ(y, 1);
}

TEST(Runtime, NamesInATraceAreUnique) {
  const Kernel fill("fill", on_cpu([](std::span<int> x) { std::ranges::fill(x, 1); }));
  std::vector<int> few(2);
  std::vector<int> many(20);
  Runtime runtime({.workers = "cpu=1", .trace = true});
  const auto a = runtime.data(few);
  const auto b = runtime.data(many);
  runtime.submit(fill, write(a), named("twice"));
  runtime.submit(fill, write(b), named("twice"));
  runtime.submit(fill, write(a), named("twice"));
  runtime.wait();
  const TaskGraph graph = runtime.trace().instance.graph;
  std::vector<std::string> names;
  for (const TaskId task : graph.tasks()) names.emplace_back(graph.name(task));
  EXPECT_THAT(names, ElementsAre("twice", "twice#2", "twice#3"));
  EXPECT_EQ(graph.type_name(make_id<TypeId>(0)), "fill");
  EXPECT_EQ(graph.type_name(make_id<TypeId>(1)), "fill#2");
}

TEST(Runtime, TwoLiveSideBySide) {
  int x = 0;
  int y = 0;
  Runtime first({.workers = "cpu=1"});
  Runtime second({.workers = "cpu=1", .policy = "ws"});
  const auto a = first.data(x);
  const auto b = second.data(y);
  for (int i = 0; i < 1000; ++i) {
    first.submit(kSet, i, write(a));
    second.submit(kSet, 2 * i, write(b));
  }
  first.wait();
  second.wait();
  EXPECT_EQ(x, 999);
  EXPECT_EQ(y, 1998);
}

TEST(Runtime, SeveralThreadsSubmit) {
  constexpr int kEach = 2000;
  int sum = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto total = runtime.data(sum);
  const Kernel add("add one", on_cpu([](int& x) { ++x; }));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) runtime.submit(add, rw(total));
      });
    }
  }
  runtime.wait();
  EXPECT_EQ(sum, 3 * kEach);
}

TEST(Runtime, WaitsForMoreReadersThanFitIntoANode) {
  constexpr int kReaders = 300;
  int x = 1;
  std::vector<int> sums(kReaders, 0);
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  std::vector<Data<int&>> data;
  for (int& sum : sums) data.push_back(runtime.data(sum));
  for (const auto& sum : data) runtime.submit(kAdd, read(a), rw(sum));
  runtime.submit(kSet, 7, write(a));
  runtime.wait();
  EXPECT_EQ(x, 7);
  EXPECT_THAT(sums, testing::Each(1));
}

TEST(Runtime, WaitsForCallbacksAndWhatTheySubmit) {
  int x = 0;
  std::atomic<int> called = 0;
  Runtime runtime({.workers = "cpu=2"});
  const auto a = runtime.data(x);
  for (int i = 1; i <= 50; ++i) {
    runtime.submit(kSet, 2 * i - 1, write(a), on_done([&, i] {
                     std::this_thread::sleep_for(std::chrono::microseconds(200));
                     runtime.submit(kSet, 2 * i, write(a));
                     ++called;
                   }));
    runtime.wait();
    ASSERT_EQ(called, i);
    ASSERT_EQ(x, 2 * i);
  }
}

TEST(Runtime, AMemberOfATeamMustNotWaitForTasks) {
  int x = 0;
  Runtime runtime({.workers = "cpu2=1"});
  const auto a = runtime.data(x);
  const Kernel waits("waits",
                     on_cpu([&](const Job& job, int&) { job.team().run(8, [&](std::size_t) { runtime.wait(); }); }));
  runtime.submit(waits, rw(a));
  EXPECT_THROW(runtime.wait(), InputError);
}

TEST(Runtime, ATaskMayHaveVeryManyData) {
  constexpr std::size_t kMany = 70'000;
  std::vector<int> x(kMany, 1);
  std::size_t given = 0;
  Runtime runtime({.workers = "cpu=1"});
  std::vector<Data<int&>> data;
  std::vector<AnyUse> uses;
  for (int& one : x) uses.emplace_back(read(data.emplace_back(runtime.data(one))));
  const Kernel count("count", on_cpu([&](const Job& job) { given = job.arguments().size(); }));
  runtime.submit(count, also(uses));
  runtime.wait();
  EXPECT_EQ(given, kMany);
}

TEST(Runtime, ATaskMustNotWaitForTasks) {
  int x = 0;
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  const Kernel waits("waits", on_cpu([&](int&) { runtime.wait(); }));
  runtime.submit(waits, rw(a));
  EXPECT_THROW(runtime.wait(), InputError);
}

TEST(Runtime, SaysWhatIsWrong) {
  EXPECT_THROW(Runtime({.workers = "cpu=0"}), InputError);
  EXPECT_THROW(Runtime({.workers = "gpuu=1"}), InputError);
  EXPECT_THROW(Runtime({.workers = "cpu=1", .policy = "no-such-policy"}), InputError);
  EXPECT_THROW(Runtime({.workers = "cpu=1", .policy = "static:file=plan.json"}), InputError) << "no Config::plan";
  int x = 0;
  Runtime runtime({.workers = "cpu=1"});
  const auto a = runtime.data(x);
  EXPECT_THROW(runtime.submit(kAdd, read(a), rw(a)), InputError);
  EXPECT_THROW(static_cast<void>(runtime.data(std::span<int>(static_cast<int*>(nullptr), 2))), InputError);
  EXPECT_THROW(static_cast<void>(runtime.data(Matrix<int>{&x, 4, 2, 3})), InputError);
  EXPECT_NO_THROW(static_cast<void>(runtime.data(Matrix<int>{nullptr, 0, 2, 0})));
  Runtime other({.workers = "cpu=1"});
  const auto foreign = other.data(x);
  EXPECT_THROW(runtime.submit(kSet, 1, write(foreign)), InputError);
  const Task elsewhere = other.submit(kSet, 1, write(foreign));
  EXPECT_THROW(runtime.submit(kSet, 1, write(a), after({elsewhere})), InputError);
  runtime.wait();
}

// What fits; how the rest is refused, `mistakes` tests.
template <class P, class A>
constexpr bool kFits = detail::mistake_in_argument<A, P>() == detail::ArgumentMistake::none;
static_assert(kFits<const int&, Use<int&, AccessMode::read>>);
static_assert(!kFits<int&, Use<int&, AccessMode::read>>);
static_assert(!kFits<const int&, Use<int&, AccessMode::write>>);
static_assert(!kFits<const int&, int>);
static_assert(kFits<Matrix<double>, Use<Matrix<double>, AccessMode::commute>>);
static_assert(!kFits<Matrix<float>, Use<Matrix<double>, AccessMode::write>>);
static_assert(kFits<std::span<const int>, Use<std::span<const int>, AccessMode::read>>);
static_assert(!kFits<std::span<const int>, std::span<const int>>);
static_assert(kFits<double, int> && kFits<double, float> && kFits<float, short> && !kFits<float, int>);
static_assert(!kFits<int, double> && !kFits<double, std::int64_t> && !kFits<float, double>);
static_assert(kFits<std::size_t, unsigned> && kFits<int, bool> && kFits<int, std::integral_constant<int, 3>>);
static_assert(!kFits<std::size_t, int> && !kFits<int, unsigned> && !kFits<bool, int>);
static_assert(!kFits<int, std::integral_constant<long, 3>> && !kFits<bool, const int*>);
static_assert(kFits<AccessMode, AccessMode> && !kFits<int, AccessMode> && !kFits<AccessMode, int>);

}  // namespace
}  // namespace heddle::runtime::runtime_test
