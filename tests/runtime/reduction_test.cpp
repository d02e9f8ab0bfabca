#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/valid_trace.hpp"

namespace heddle::runtime::reduction_test {
namespace {

using testing::Each;
using testing::ElementsAre;

const Kernel kAdd("add", on_cpu([](int x, std::span<int> sums) {
                    for (int& sum : sums) sum += x;
                  }));

TEST(Reduction, TasksReduceAtOnce) {
  constexpr int kWorkers = 3;
  std::latch all(kWorkers);
  const Kernel meet("meet", on_cpu([&all](int& sum) {
                      all.arrive_and_wait();
                      ++sum;
                    }));
  int sum = 10;
  Runtime runtime({.workers = "cpu=3", .policy = "eager", .history = ""});
  const auto datum = runtime.data(sum);
  for (int i = 0; i < kWorkers; ++i) runtime.submit(meet, reduce(datum));
  runtime.wait();
  EXPECT_EQ(sum, 10 + kWorkers);
}

TEST(Reduction, WhatFollowsSeesTheWholeSum) {
  constexpr int kTasks = 500;
  std::vector<int> sums(7, 5);
  std::vector<int> seen(7);
  const Kernel look("look",
                    on_cpu([](std::span<const int> from, std::span<int> to) { std::ranges::copy(from, to.begin()); }));
  Runtime runtime({.workers = "cpu=4", .trace = true, .history = ""});
  const auto datum = runtime.data(sums);
  const auto copy = runtime.data(seen);
  for (int i = 0; i < kTasks; ++i) runtime.submit(kAdd, 1, reduce(datum));
  runtime.submit(look, read(datum), write(copy));
  for (int i = 0; i < kTasks; ++i) runtime.submit(kAdd, 2, reduce(datum));
  runtime.wait();
  EXPECT_THAT(seen, Each(5 + kTasks));
  EXPECT_THAT(sums, Each(5 + 3 * kTasks));
  expect_valid(runtime);
}

TEST(Reduction, ColumnsOfAMatrixMayBeApart) {
  std::vector<double> memory(5 * 3, 1);
  const Kernel add("add", on_cpu([](Matrix<double> sums) {
                     for (std::size_t j = 0; j < sums.columns; ++j) {
                       for (std::size_t i = 0; i < sums.rows; ++i) sums(i, j) += static_cast<double>(10 * i + j);
                     }
                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                   }));
  Runtime runtime({.workers = "cpu=2", .history = ""});
  const auto datum = runtime.data(Matrix<double>{memory.data(), 2, 3, 5});
  for (int i = 0; i < 10; ++i) runtime.submit(add, reduce(datum));
  runtime.wait();
  EXPECT_THAT(memory, ElementsAre(1, 101, 1, 1, 1, 11, 111, 1, 1, 1, 21, 121, 1, 1, 1));
}

TEST(Reduction, OthersThanSums) {
  struct Best {
    double value;
    int where;
  };
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  const Kernel look("look", on_cpu([](double value, int where, Best& best) {
                      if (value < best.value) best = {value, where};
                      std::this_thread::sleep_for(std::chrono::microseconds(100));
                    }));
  Best best{kWorst, -1};
  Runtime runtime({.workers = "cpu=4", .history = ""});
  auto datum = runtime.data(best);
  EXPECT_THROW(runtime.submit(look, 1.0, 0, reduce(datum)), InputError);
  datum.reduce_with(Best{kWorst, -1}, [](Best& into, const Best& from) {
    if (from.value < into.value) into = from;
  });
  for (int i = 0; i < 100; ++i) runtime.submit(look, (i - 70.5) * (i - 70.5), i, reduce(datum));
  runtime.submit(look, 0.2, 1000, reduce(datum));
  runtime.wait();
  EXPECT_EQ(best.where, 1000);
}

TEST(Reduction, StaysWhatItIsOnceTasksReduce) {
  const Kernel increment("increment", on_cpu([](int& sum) { ++sum; }));
  int sum = 0;
  Runtime runtime({.workers = "cpu=2", .history = ""});
  auto datum = runtime.data(sum);
  const auto take_largest = [](int& into, const int& from) { into = std::max(into, from); };
  const Graph graph = runtime.record([&] {
    for (int i = 0; i < 10; ++i) runtime.submit(increment, reduce(datum));
  });
  EXPECT_THROW(datum.reduce_with(0, take_largest), InputError);
  runtime.run(graph);
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(sum, 20);
}

TEST(Reduction, AFailureMakesTheSumVoid) {
  const Kernel add_or_fail("add or fail", on_cpu([](bool fails, int& sum) {
                             std::this_thread::sleep_for(std::chrono::microseconds(200));
                             if (fails) throw std::runtime_error("no");
                             ++sum;
                           }));
  const Kernel set("set", on_cpu([](int& sum) { sum = 100; }));
  int sum = 0;
  Runtime runtime({.workers = "cpu=3", .history = ""});
  const auto datum = runtime.data(sum);
  for (int i = 0; i < 30; ++i) runtime.submit(add_or_fail, i == 11, reduce(datum));
  bool ran = false;
  const Kernel look("look", on_cpu([&ran](const int&) { ran = true; }));
  runtime.submit(look, read(datum));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_FALSE(ran);
  // What was left of it does not come back.
  runtime.submit(set, write(datum));
  for (int i = 0; i < 30; ++i) runtime.submit(add_or_fail, false, reduce(datum));
  runtime.wait();
  EXPECT_EQ(sum, 130);
}

TEST(Reduction, RecordedGraphsReduceEachTime) {
  constexpr int kTasks = 40;
  std::vector<int> sums(3, 0);
  Runtime runtime({.workers = "cpu=3", .history = ""});
  const auto datum = runtime.data(sums);
  runtime.submit(kAdd, 1000, reduce(datum));
  const Graph graph = runtime.record([&] {
    for (int i = 0; i < kTasks; ++i) runtime.submit(kAdd, 1, reduce(datum));
  });
  for (int i = 0; i < 5; ++i) runtime.run(graph);
  runtime.submit(kAdd, 1000, reduce(datum));
  runtime.wait();
  EXPECT_THAT(sums, Each(2000 + 5 * kTasks));
}

TEST(Reduction, DataBringsItsSumHomeWhenItGoes) {
  std::vector<int> sums(3, 1);
  Runtime runtime({.workers = "cpu=4", .history = ""});
  {
    const auto datum = runtime.data(sums);
    for (int i = 0; i < 1000; ++i) runtime.submit(kAdd, 1, reduce(datum));
  }
  EXPECT_THAT(sums, Each(1001));
}

}  // namespace
}  // namespace heddle::runtime::reduction_test
