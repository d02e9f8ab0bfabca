#include "heddle/experiment/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::experiment {
namespace {

TEST(Statistics, OfAHandfulOfNumbers) {
  const std::vector<double> values{4, 1, 2, 9};
  EXPECT_EQ(mean(values), 4);
  EXPECT_EQ(smallest(values), 1);
  EXPECT_EQ(largest(values), 9);
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 0.5), 3);
  EXPECT_EQ(quantile(values, 0.25), 1.75);
  EXPECT_EQ(quantile(values, 1), 9);
  EXPECT_DOUBLE_EQ(deviation({2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7.0));
}

TEST(Statistics, DistanceIsOverWhatWasFound) {
  EXPECT_EQ(mean_distance({3, 3}, {4, 2}), (0.25 + 0.5) / 2);
}

TEST(Statistics, OfASingleNumber) {
  EXPECT_EQ(quantile({7}, 0.3), 7);
  EXPECT_DOUBLE_EQ(deviation({2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7.0));
}

}  // namespace
}  // namespace heddle::experiment
