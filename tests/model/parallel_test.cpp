#include "heddle/model/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/rounds.hpp"

namespace heddle {
namespace {

constexpr std::size_t kThreads = 4;

TEST(ParallelFor, CallsEachNumberOnce) {
  for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
    std::vector<std::atomic<int>> calls(count);
    parallel_for(count, kThreads, [&](std::size_t i) { ++calls[i]; });
    for (const std::atomic<int>& times : calls) EXPECT_EQ(times, 1);
  }
}

TEST(ParallelFor, TheExceptionOfTheSmallestNumberComesOut) {
  // Both are under way at once: neither goes on before the other has begun.
  std::atomic<int> begun = 0;
  const auto fail = [&](std::size_t i) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
    throw std::runtime_error(std::to_string(i));
  };
  try {
    parallel_for(2, 2, fail);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
}

TEST(ParallelFor, TellsTheLastCountHoweverFastTheWorkWas) {
  for (int i = 0; i < test::rounds(100); ++i) {
    std::size_t told = 0;
    parallel_for(3, kThreads, [](std::size_t) {}, [&](std::size_t done) { told = done; });
    EXPECT_EQ(told, 3U);
  }
}

TEST(ParallelFor, WhatProgressThrowsStopsTheWork) {
  std::atomic<std::size_t> calls = 0;
  const auto work = [&](std::size_t) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_THROW(parallel_for(1'000'000, kThreads, work, [](std::size_t) { throw std::runtime_error("enough"); }),
               std::runtime_error);
  EXPECT_LT(calls, 1'000'000U);
}

TEST(Crew, KeepsItsThreads) {
  static thread_local int calls = 0;
  Crew crew;
  for (int i = 0; i < 3; ++i) {
    int before = -1;
    crew.run(1, 1, [&](std::size_t) { before = calls++; });
    EXPECT_EQ(before, i);
  }
}

TEST(Crew, IsAsLargeAsEachCallAsks) {
  Crew crew;
  for (const std::size_t threads : {1U, 4U, 2U, 3U}) {
    // Those that are under way wait for all that may be; more would be seen.
    std::atomic<std::size_t> under_way = 0;
    std::atomic<std::size_t> begun = 0;
    crew.run(40, threads, [&](std::size_t) {
      EXPECT_LE(++under_way, threads);
      ++begun;
      while (begun < threads) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --under_way;
    });
    EXPECT_EQ(begun, 40U);
  }
}

TEST(Crew, WorksOnAfterAFailure) {
  Crew crew;
  for (int i = 0; i < test::rounds(200); ++i) {
    EXPECT_THROW(crew.run(10, kThreads, [](std::size_t) { throw std::runtime_error("no"); }), std::runtime_error);
    std::atomic<std::size_t> sum = 0;
    crew.run(10, kThreads, [&](std::size_t number) { sum += number; });
    EXPECT_EQ(sum, 45U);
  }
}

TEST(CallAside, ReturnsAndThrowsThroughTheFuture) {
  for (const bool may_use_thread : {false, true}) {
    std::future<int> answer = call_aside([] { return 42; }, may_use_thread);
    EXPECT_EQ(answer.get(), 42);
    std::future<void> failure = call_aside([] { throw std::runtime_error("no"); }, may_use_thread);
    EXPECT_THROW(failure.get(), std::runtime_error);
  }
}

TEST(CallAside, UsesAThreadWhereACoreIsLeft) {
  const auto runs_elsewhere = [](bool may_use_thread) {
    return call_aside([] { return std::this_thread::get_id(); }, may_use_thread).get() != std::this_thread::get_id();
  };
  EXPECT_FALSE(runs_elsewhere(false));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(runs_elsewhere(true), core_count() > 1) << "each gives its core back";
  std::vector<detail::SpareCore> all(1);
  while (all.back().taken()) all.emplace_back();
  EXPECT_EQ(all.size(), core_count());
  EXPECT_FALSE(runs_elsewhere(true));
}

TEST(CallAside, UsesNoThreadWhereOthersHaveTheCores) {
  std::atomic<std::size_t> elsewhere = 0;
  const auto work = [&](std::size_t) {
    const std::thread::id here = std::this_thread::get_id();
    if (call_aside([] { return std::this_thread::get_id(); }).get() != here) ++elsewhere;
  };
  parallel_for(50, core_count(), work);
  EXPECT_EQ(elsewhere, 0U);
}

}  // namespace
}  // namespace heddle
