#include "heddle/model/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heddle/platforms/platforms.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::experiment {
namespace {

constexpr std::size_t kThreads = 4;

TEST(ParallelFor, CallsEachNumberOnce) {
  for (const std::size_t count : {0, 1, 3, 1000}) {
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

TEST(ParallelFor, EveryPolicyAtOnceOnOneInstanceSchedulesAsAlone) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage:links=measured"));
  const Schedule plan = sim::simulate(instance, policy::Spec("eager"));
  std::vector<policy::Spec> specs;
  for (const policy::Entry& entry : policy::entries()) specs.emplace_back(entry.name);
  std::vector<Schedule> alone;
  for (const policy::Spec& spec : specs) alone.push_back(sim::simulate(instance, spec, {}, &plan));
  std::vector<Schedule> together(specs.size());
  parallel_for(specs.size(), kThreads,
               [&](std::size_t i) { together[i] = sim::simulate(instance, specs[i], {}, &plan); });
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(together[i].attempts, alone[i].attempts) << specs[i].text();
    EXPECT_EQ(together[i].transfers, alone[i].transfers) << specs[i].text();
  }
}

}  // namespace
}  // namespace heddle::experiment
