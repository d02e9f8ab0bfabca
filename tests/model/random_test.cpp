#include "heddle/model/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace heddle {
namespace {

TEST(Random, IsPhilox4x64WithTenRounds) {
  // The authors' known-answer test for key 0 and counter 0 (Random123, kat_vectors).
  Random random(0);
  EXPECT_EQ(random.bits(), 0x16554d9eca36314cU);
  EXPECT_EQ(random.bits(), 0xdb20fe9d672d0fdcU);
  EXPECT_EQ(random.bits(), 0xd7e772cee186176bU);
  EXPECT_EQ(random.bits(), 0x7e68b68aec7ba23bU);
}

TEST(Random, EveryWordOfTheKeyMatters) {
  const std::vector<Random> streams{Random(0),       Random(1),          Random(0, 1),
                                    Random(0, 0, 1), Random(0, 0, 0, 1), Random(0, 0, 0, 0, 1)};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Random one = streams[i];
      Random other = streams[j];
      EXPECT_NE(one.bits(), other.bits());
    }
  }
}

TEST(Random, CopyContinuesTheSameStream) {
  Random random(7, 3);
  for (int i = 0; i < 5; ++i) (void)random.bits();
  Random copy = random;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(copy.bits(), random.bits());
}

TEST(Random, FirstNumbersAreTheSameEverywhere) {
  Random random(1, 2, 3, 4, 5);
  EXPECT_EQ(random.below(1'000'000), 736867U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(random.uniform()), 0x3febd9ab52c3de52U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(random.uniform(0.5, 50)), 0x4038c4a6e2f8489cU);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(random.normal()), 0x3fe1c1ff0c9d4b36U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(deterministic_exp(random.normal())), 0x3fffeda184cb9ff2U);
}

TEST(Random, BelowIsUniform) {
  Random random(11);
  constexpr std::uint64_t kBins = 7;
  constexpr int kDraws = 70'000;
  std::vector<int> count(kBins);
  for (int i = 0; i < kDraws; ++i) ++count[random.below(kBins)];
  double chi_square = 0;
  for (const int c : count) chi_square += std::pow(c - 10'000, 2) / 10'000;
  EXPECT_LT(chi_square, 22.5);  // 6 degrees of freedom: exceeded once in 1000
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, BelowStaysInRangeWhereBiasWouldBeLargest) {
  Random random(12);
  const std::uint64_t n = (std::uint64_t{1} << 63) + 1;
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(n), n);
}

TEST(Random, UniformHasMeanAndVarianceOfItsInterval) {
  Random random(13);
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.uniform(2, 4);
    ASSERT_TRUE(x >= 2 && x <= 4);
    sum += x;
    squares += (x - 3) * (x - 3);
  }
  EXPECT_NEAR(sum / kDraws, 3, 0.005);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.003);
}

TEST(Random, NormalHasTheRightMomentsAndTails) {
  Random random(14);
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.015);
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, 0.0455, 0.002);
}

double ulp(double x) {
  return std::nextafter(std::abs(x), std::numeric_limits<double>::infinity()) - std::abs(x);
}

TEST(DeterministicMath, LogIsAccurateToTwoUlp) {
  Random random(15);
  for (int i = 0; i < 20'000; ++i) {
    const double x = i % 2 == 0 ? random.uniform(0.5, 2) : std::ldexp(random.uniform(1, 2), -1000 + i / 10);
    ASSERT_NEAR(deterministic_log(x), std::log(x), 2 * ulp(std::log(x))) << x;
  }
  EXPECT_EQ(deterministic_log(1), 0);
}

TEST(DeterministicMath, ExpIsAccurateToTwoUlp) {
  Random random(16);
  for (int i = 0; i < 20'000; ++i) {
    const double x = i % 2 == 0 ? random.uniform(-1, 1) : random.uniform(-700, 700);
    ASSERT_NEAR(deterministic_exp(x), std::exp(x), 2 * ulp(std::exp(x))) << x;
  }
  EXPECT_EQ(deterministic_exp(0), 1);
}

TEST(DeterministicMath, ExpSaturates) {
  EXPECT_EQ(deterministic_exp(-746), 0);
  EXPECT_EQ(deterministic_exp(-1e300), 0);
  EXPECT_EQ(deterministic_exp(710), std::numeric_limits<double>::infinity());
  EXPECT_EQ(deterministic_exp(1e300), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(deterministic_exp(std::nan(""))));
}

}  // namespace
}  // namespace heddle
