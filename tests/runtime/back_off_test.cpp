#include "heddle/runtime/scheduling/back_off.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace heddle::runtime {
namespace {

/// So often in a row the worker waits longer than it works until it is to back off.
std::uint32_t patience_of(BackOff& back_off) {
  EXPECT_FALSE(back_off.is_due(1, 1)) << "it has worked as long as it has waited";
  std::uint32_t times = 1;
  while (!back_off.is_due(1, 2)) ++times;
  return times;
}

Time next_of(BackOff& back_off) {
  back_off.begin(true);
  const Time duration = back_off.duration();
  back_off.end(false);
  return duration;
}

TEST(BackOff, OfAWorkerThatWasMissedComesLaterUntilItIsNotMissed) {
  BackOff back_off;
  EXPECT_EQ(patience_of(back_off), BackOff::kPatience);
  for (std::uint32_t expected = 2 * BackOff::kPatience; expected <= 2 * BackOff::kMostPatience; expected *= 2) {
    back_off.end(true);
    EXPECT_EQ(patience_of(back_off), std::min(expected, BackOff::kMostPatience));
  }
  for (std::uint32_t expected = BackOff::kMostPatience; expected > BackOff::kPatience; --expected) {
    EXPECT_EQ(patience_of(back_off), expected);
    back_off.end(false);
  }
  back_off.end(false);
  EXPECT_EQ(patience_of(back_off), BackOff::kPatience);
}

TEST(BackOff, GrowsUntilItStartsOver) {
  BackOff back_off;
  EXPECT_EQ(back_off.duration(), 0);
  EXPECT_EQ(next_of(back_off), BackOff::kFirst);
  EXPECT_EQ(back_off.duration(), 0);
  EXPECT_EQ(next_of(back_off), 2 * BackOff::kFirst);
  back_off.begin(false);
  EXPECT_EQ(back_off.duration(), BackOff::kFirst);
  EXPECT_EQ(next_of(back_off), 2 * BackOff::kFirst) << "it grows from the last one on";
  back_off.start_over();
  for (Time expected = BackOff::kFirst; expected <= 2 * BackOff::kLongest; expected *= 2) {
    EXPECT_EQ(next_of(back_off), std::min(expected, BackOff::kLongest));
  }
}

}  // namespace
}  // namespace heddle::runtime
