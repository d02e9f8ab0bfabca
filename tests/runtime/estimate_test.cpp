#include "heddle/runtime/estimate.hpp"

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

TEST(Estimate, OneMeasurementIsBelieved) {
  Estimate estimate;
  estimate.add(70);
  EXPECT_EQ(estimate.count(), 1U);
  EXPECT_EQ(estimate.mean(), 70);
  EXPECT_EQ(estimate.spread(), 0);
}

TEST(Estimate, ASpikeOfAThousandTimesDoesNotMoveIt) {
  Estimate estimate;
  for (int i = 0; i < 20; ++i) estimate.add(100 + i % 3);
  const Time before = estimate.mean();
  estimate.add(100'000);
  EXPECT_NEAR(static_cast<double>(estimate.mean()), static_cast<double>(before), 1);
  EXPECT_LE(estimate.spread(), 2);
}

TEST(Estimate, FollowsALastingChange) {
  Estimate estimate;
  for (int i = 0; i < 100; ++i) estimate.add(100);
  for (int i = 0; i < 16; ++i) estimate.add(300);
  EXPECT_EQ(estimate.mean(), 300);
}

TEST(Estimate, IsTheMeanOfTheMiddleHalf) {
  Estimate estimate;
  for (const Time duration : {1, 10, 20, 30, 40, 50, 60, 1000}) estimate.add(duration);
  EXPECT_EQ(estimate.mean(), (20 + 30 + 40 + 50) / 4);
  EXPECT_EQ(estimate.spread(), (50 - 20) / 2);
}

}  // namespace
}  // namespace heddle::runtime
