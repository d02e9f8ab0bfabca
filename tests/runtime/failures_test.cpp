#include "heddle/runtime/scheduling/failures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "heddle/model/random.hpp"

namespace heddle::runtime {
namespace {

TEST(Failures, OfTasksThatFollowEachOtherTakeTheRoomOfOne) {
  const auto stopped = std::make_exception_ptr(std::runtime_error("stopped"));
  const auto other = std::make_exception_ptr(std::runtime_error("other"));
  Failures failures;
  for (const std::uint64_t task : {5, 3, 4, 9, 8, 7}) failures.add(task, stopped);
  EXPECT_EQ(failures.size(), 2U);
  failures.add(6, other);
  EXPECT_EQ(failures.size(), 3U);
  for (std::uint64_t task = 1; task < 12; ++task) {
    EXPECT_EQ(failures.of(task), task == 6 ? other : task >= 3 && task <= 9 ? stopped : nullptr) << task;
  }
}

TEST(Failures, AreThoseOfAMap) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::exception_ptr> reasons{std::make_exception_ptr(1), std::make_exception_ptr(2)};
    Failures failures;
    std::map<std::uint64_t, std::exception_ptr> expected;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t task = 1 + random.below(100);
      const std::exception_ptr& reason = reasons[random.below(2)];
      if (expected.emplace(task, reason).second) failures.add(task, reason);
    }
    for (std::uint64_t task = 0; task < 103; ++task) {
      ASSERT_EQ(failures.of(task), expected.contains(task) ? expected.at(task) : nullptr) << task;
    }
    EXPECT_LE(failures.size(), expected.size());
  }
}

}  // namespace
}  // namespace heddle::runtime
