#include "heddle/runtime/models/power_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heddle/model/random.hpp"

namespace heddle::runtime {
namespace {

std::vector<Sample> planted(double factor, double exponent, std::size_t count) {
  std::vector<Sample> samples;
  double size = 1000;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back({size, static_cast<Time>(factor * std::pow(size, exponent))});
    size *= 1.3;
  }
  return samples;
}

TEST(PowerLaw, FindsWhatWasPlanted) {
  for (const double exponent : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0}) {
    for (const std::size_t count : {2U, 3U, 10U, 64U, 500U}) {
      if (std::pow(1.3, static_cast<double>(count)) > 1e6) continue;  // durations that no kernel has
      const auto law = fit_power_law(planted(5000, exponent, count));
      ASSERT_TRUE(law);
      EXPECT_NEAR(law->exponent, exponent, 1e-3);
      const double expected = 5000 * std::pow(4321.0, exponent);
      EXPECT_NEAR(static_cast<double>((*law)(4321)), expected, 1e-2 * expected);
    }
  }
}

TEST(PowerLaw, TakesSomeOfManySamples) {
  std::vector<Sample> samples;
  for (int i = 0; i < 20'000; ++i) samples.push_back({1000.0 + i, static_cast<Time>(700 * std::pow(1000.0 + i, 1.5))});
  const auto law = fit_power_law(samples);
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->exponent, 1.5, 1e-3);
}

TEST(PowerLaw, OutliersDoNotMoveIt) {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Sample> samples = planted(5000, 1.5, 12);
    for (int i = 0; i < 2; ++i) {
      Sample& wrong = samples[random.below(samples.size())];
      wrong.duration = random.below(2) == 0 ? wrong.duration * 1000 : wrong.duration / 1000;
    }
    const auto law = fit_power_law(samples);
    ASSERT_TRUE(law);
    EXPECT_NEAR(law->exponent, 1.5, 1e-3) << round;
    const double expected = 5000 * std::pow(1e5, 1.5);
    EXPECT_NEAR(static_cast<double>((*law)(1e5)), expected, 1e-2 * expected) << round;
  }
}

TEST(PowerLaw, TakesOneSizeToBeProportional) {
  EXPECT_FALSE(fit_power_law({}));
  const std::vector<Sample> alike{{100, 5000}, {100, 9000}, {100, 7000}};
  const auto law = fit_power_law(alike);
  ASSERT_TRUE(law);
  EXPECT_TRUE(law->is_assumed);
  EXPECT_NEAR(static_cast<double>((*law)(300)), 21'000, 1);
  EXPECT_FALSE(fit_power_law(std::vector<Sample>{{100, 5000}, {200, 9000}})->is_assumed);
}

TEST(PowerLaw, KeepsToExponentsThatKernelsHave) {
  const std::vector<Sample> falling{{100, 1000}, {200, 10}};
  EXPECT_EQ(fit_power_law(falling)->exponent, 0);
  const std::vector<Sample> exploding{{100, 1}, {200, 1'000'000'000}};
  EXPECT_EQ(fit_power_law(exploding)->exponent, 3);
}

TEST(PowerLaw, SurvivesNothingAndTooMuch) {
  const std::vector<Sample> samples{{0, 0}, {10, 1000 * kSecond}};
  const auto law = fit_power_law(samples);
  ASSERT_TRUE(law);
  EXPECT_GE((*law)(0), 1);
  EXPECT_EQ((*law)(1e300), 3600 * kSecond);
}

}  // namespace
}  // namespace heddle::runtime
