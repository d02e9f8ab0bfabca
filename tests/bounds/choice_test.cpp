#include "heddle/bounds/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

/// Every class that is quick enough, alone and with every other.
double cheapest_of_all(std::span<const Time> times, std::span<const double> duals, double allowed) {
  double cheapest = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < times.size(); ++a) {
    const auto quick = static_cast<double>(times[a]);
    if (times[a] == kCannotRun || quick > allowed) continue;
    cheapest = std::min(cheapest, duals[a] * quick);
    for (std::size_t b = 0; b < times.size(); ++b) {
      const auto slow = static_cast<double>(times[b]);
      if (times[b] == kCannotRun || slow <= allowed) continue;
      const double fraction = (slow - allowed) / (slow - quick);
      cheapest = std::min(cheapest, fraction * duals[a] * quick + (1 - fraction) * duals[b] * slow);
    }
  }
  return cheapest;
}

TEST(Choice, IsTheCheapestThatIsAllowed) {
  std::size_t mixed = 0;
  for (std::uint64_t seed = 0; seed < test::rounds(20'000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    // Few values, for ties on purpose: equal classes, free ones, and durations that are just what is allowed.
    const std::int64_t most = seed % 2 == 0 ? 6 : 1'000;
    std::vector<Time> times(static_cast<std::size_t>(test::draw(random, 1, 12)));
    std::vector<double> duals(times.size());
    for (Time& time : times) time = test::draw(random, 0, 9) == 0 ? kCannotRun : test::draw(random, 1, most);
    for (double& dual : duals) dual = static_cast<double>(test::draw(random, 0, 5));
    times[0] = test::draw(random, 1, most);
    const auto allowed = static_cast<double>(test::draw(random, times[0], most));
    const Choice choice = choose(times, duals, allowed);
    const auto first = static_cast<double>(times[choice.first]);
    const auto second = static_cast<double>(times[choice.second]);
    const double rest = 1 - choice.of_first;
    ASSERT_LE(choice.of_first * first + rest * second, allowed * (1 + 1e-12));
    ASSERT_DOUBLE_EQ(choice.of_first * duals[choice.first] * first + rest * duals[choice.second] * second, choice.cost);
    ASSERT_NEAR(choice.cost, cheapest_of_all(times, duals, allowed), 1e-12 * choice.cost);
    mixed += choice.of_first < 1 ? 1 : 0;
  }
  EXPECT_GT(mixed, test::rounds(1'000U));
}

}  // namespace
}  // namespace heddle::bounds
