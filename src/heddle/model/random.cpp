#include "heddle/model/random.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "results would depend on extra precision of intermediate values");
static_assert(std::numeric_limits<double>::is_iec559);

struct Product {
  std::uint64_t high;
  std::uint64_t low;
};

Product multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

/// ln 2 in two parts; the high one ends in zeros, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// 2 to the power `exponent`, a normal number.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace

void Random::refill() {
  Block x = counter_;
  std::uint64_t key0 = key_[0];
  std::uint64_t key1 = key_[1];
  for (int round = 0; round < 10; ++round) {
    const Product p0 = multiply(0xD2E7470EE14C6C93, x[0]);
    const Product p1 = multiply(0xCA5A826395121157, x[2]);
    x = {p1.high ^ x[1] ^ key0, p1.low, p0.high ^ x[3] ^ key1, p0.low};
    key0 += 0x9E3779B97F4A7C15;
    key1 += 0xBB67AE8584CAA73B;
  }
  block_ = x;
  used_ = 0;
  ++counter_[0];
}

double Random::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

/// Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019), doi:10.1145/3230636.
std::uint64_t Random::below(std::uint64_t n) {
  Product product = multiply(bits(), n);
  const std::uint64_t biased = (0 - n) % n;
  while (product.low < biased) product = multiply(bits(), n);
  return product.high;
}

/// Marsaglia's polar method; its second number is dropped, so that the state is only the position in the stream.
double Random::normal() {
  while (true) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s < 1 && s > 0) return u * std::sqrt(-2 * deterministic_log(s) / s);
  }
}

/// x = 2^k m with m around 1; ln m = 2 artanh f with f = (m - 1) / (m + 1), whose series in f^2 < 0.03 ends soon.
double deterministic_log(double x) {
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  const auto pattern = std::bit_cast<std::uint64_t>(x);
  int k = static_cast<int>(pattern >> 52) - 1023;
  double m = std::bit_cast<double>((pattern & kMantissa) | std::bit_cast<std::uint64_t>(1.0));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++k;
  }
  const double d = m - 1;  // exact
  const double f = d / (m + 1);
  const double square = f * f;
  double tail = 0;
  for (int odd = 25; odd >= 3; odd -= 2) tail = tail * square + 2.0 / odd;
  tail *= square * f;
  // 2f = d - f d, where d carries no rounding error: the sum keeps its last bits even where k = 0 and d is small.
  const double small = k * kLn2Low + (tail - f * d);
  return k * kLn2High + (d + small);
}

/// e^x = 2^k e^r with |r| <= ln 2 / 2, and e^r by its series.
double deterministic_exp(double x) {
  if (x != x) return x;
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  const double scaled = x * 1.4426950408889634;
  const int k = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double high = x - k * kLn2High;  // exact
  const double r = high - k * kLn2Low;
  double series = 0;
  for (int term = 15; term >= 1; --term) series = (1 + series) * r / term;
  // In two steps, since 2^k alone can be too large or too small for a normal number.
  const int half = k / 2;
  return (1 + series) * power_of_two(half) * power_of_two(k - half);
}

}  // namespace heddle
