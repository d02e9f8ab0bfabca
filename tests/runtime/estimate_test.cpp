#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "heddle/runtime/history.hpp"

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

TEST(Estimate, ASpikeAmongTwoOrThreeDoesNotMoveIt) {
  for (const std::vector<Time>& measured : {std::vector<Time>{100'000, 100},
                                            {100, 100'000},
                                            {100, 102, 100'000},
                                            {100, 100'000, 102},
                                            {100'000, 102, 100}}) {
    Estimate estimate;
    for (const Time duration : measured) estimate.add(duration);
    EXPECT_NEAR(static_cast<double>(estimate.mean()), 101, 1);
    EXPECT_LE(estimate.spread(), 1);
  }
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

TEST(Estimate, GoesOnWhereAnotherEnded) {
  Estimate whole;
  for (Time duration = 1; duration <= 60; ++duration) {
    whole.add(duration * duration);
    for (const std::uint64_t before : {0U, 1U, 7U, 16U, 40U}) {
      if (before > whole.count()) continue;
      Estimate first;
      for (Time early = 1; early <= static_cast<Time>(before); ++early) first.add(early * early);
      Estimate joined(first.count(), first.recent());
      joined.add(whole.since(before));
      ASSERT_EQ(joined.count(), whole.count());
      ASSERT_EQ(joined.recent(), whole.recent()) << before << " of " << duration;
      ASSERT_EQ(joined.mean(), whole.mean());
      ASSERT_EQ(joined.spread(), whole.spread());
    }
  }
}

}  // namespace
}  // namespace heddle::runtime
