#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "heddle/model/ids.hpp"

namespace heddle::test {
namespace {

TEST(SlidingVector, ElementsKeepTheirPositionsAndTheBeginningIsForgotten) {
  SlidingVector<std::size_t> numbers;
  for (std::size_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(numbers.end_position(), i);
    numbers.push_back(i);
    const std::size_t first = i - i % 97 / 2 - (i > 300 ? i % 3 * 100 : 0);
    if (first > numbers.begin_position()) numbers.forget_before(first);
    for (std::size_t at = numbers.begin_position(); at < numbers.end_position(); ++at) ASSERT_EQ(numbers[at], at);
  }
  numbers.append(std::array<std::size_t, 2>{10'000, 10'001});
  const auto slice = numbers.slice(9'999, 10'002);
  EXPECT_TRUE(std::ranges::equal(slice, std::array<std::size_t, 3>{9'999, 10'000, 10'001}));
  EXPECT_FALSE(numbers.empty());
  numbers.forget_before(numbers.end_position());
  EXPECT_TRUE(numbers.empty());
}

}  // namespace
}  // namespace heddle::test
