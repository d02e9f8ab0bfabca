#include "heddle/policy/kit/ranks/acceleration.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/policy/independent.hpp"

namespace heddle::test {
namespace {

TEST(AccelerationRanks, AreEqualForEqualFactorsAndOrderedExactly) {
  // Factors 2, 1, 2, infinite, 0, one half, and one that is above 2 by less than a double tells apart.
  constexpr Time kLarge = Time{1} << 55;
  const Instance instance =
      independent({{4, 2}, {3, 3}, {20, 10}, {kCannotRun, 5}, {5, kCannotRun}, {1, 2}, {kLarge + 1, kLarge / 2}}, 1, 1);
  const policy::AccelerationRanks ranks(instance);
  std::vector<std::uint32_t> found;
  std::vector<bool> accelerated;
  for (const TaskId task : instance.graph.tasks()) {
    found.push_back(ranks.rank(instance.costs.row(task)));
    accelerated.push_back(ranks.accelerated(instance.costs.row(task)));
  }
  EXPECT_EQ(found, (std::vector<std::uint32_t>{2, 3, 2, 0, 5, 4, 1}));
  EXPECT_EQ(accelerated, (std::vector<bool>{true, true, true, true, false, false, true}));
  EXPECT_EQ(ranks.count(), 6U);
}

}  // namespace
}  // namespace heddle::test
