#include "heddle/runtime/threads/run_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace heddle::runtime {
namespace {

using Clock = RunClock::Clock;

Time picoseconds(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count() * (kMicrosecond / 1000);
}

TEST(RunClock, PassesAsFastAsTheSystemsClock) {
  const RunClock clock;
  const Clock::time_point before_first = Clock::now();
  const Time first = clock.now();
  const Clock::time_point after_first = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Clock::time_point before_last = Clock::now();
  const Time last = clock.now();
  const Clock::time_point after_last = Clock::now();
  const Time most = picoseconds(after_last - before_first);
  const Time least = picoseconds(before_last - after_first);
  EXPECT_LE(last - first, most + most / 1000);
  EXPECT_GE(last - first, least - least / 1000);
}

/// As long as the thread keeps its core meanwhile: on a busy machine in one of many tries.
TEST(RunClock, TellsTheInstantOfTheSystemsClock) {
  const RunClock clock;
  bool tells = false;
  for (int tries = 0; tries < 1000 && !tells; ++tries) {
    const Clock::time_point before = Clock::now();
    const Clock::time_point instant = clock.instant(clock.now());
    const Clock::time_point after = Clock::now();
    tells = instant >= before - std::chrono::microseconds(10) && instant <= after + std::chrono::microseconds(10);
  }
  EXPECT_TRUE(tells);
}

TEST(RunClock, TellsWhatATestHasSet) {
  Time time = 5;
  const RunClock clock(&time);
  EXPECT_EQ(clock.now(), 5);
  time += kSecond;
  EXPECT_EQ(clock.now(), 5 + kSecond);
  const Clock::time_point before = Clock::now();
  EXPECT_GE(clock.instant(time + kSecond), before + std::chrono::seconds(1));
}

TEST(RunClock, IsTheSameForAllThreads) {
  const RunClock clock;
  for (int i = 0; i < 100; ++i) {
    const Time before = clock.now();
    Time other = 0;
    std::thread([&] { other = clock.now(); }).join();
    EXPECT_GE(other, before);
    EXPECT_GE(clock.now(), other);
  }
}

}  // namespace
}  // namespace heddle::runtime
