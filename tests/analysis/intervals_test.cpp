#include "heddle/analysis/intervals.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::analysis {
namespace {

using Parts = std::vector<std::pair<Interval, bool>>;

Parts parts(const Intervals& intervals, Interval window) {
  Parts found;
  intervals.split(window, [&](Interval part, bool covered) { found.emplace_back(part, covered); });
  return found;
}

TEST(Intervals, JoinWhatTouchesAndDropWhatIsEmpty) {
  Intervals intervals;
  for (const Interval next : {Interval{2, 4}, {4, 6}, {7, 7}, {9, 10}}) intervals.append(next);
  EXPECT_EQ(parts(intervals, {0, 12}),
            (Parts{{{0, 2}, false}, {{2, 6}, true}, {{6, 9}, false}, {{9, 10}, true}, {{10, 12}, false}}));
  EXPECT_EQ(parts(intervals, {3, 5}), (Parts{{{3, 5}, true}}));
  EXPECT_EQ(parts(intervals, {6, 6}), Parts());
  EXPECT_EQ(intervals.covered({0, 12}), 5);
}

TEST(Intervals, MeasureAndSplitAsInstantByInstant) {
  for (std::uint64_t round = 0; round < test::rounds(2000U); ++round) {
    test::Random random(round);
    Intervals intervals;
    std::vector<bool> covered(60, false);
    for (Time now = test::draw(random, 0, 9); now < 50;) {
      const Time end = now + test::draw(random, 0, 9);
      intervals.append({now, end});
      for (; now < end; ++now) covered[static_cast<std::size_t>(now)] = true;
      now += test::draw(random, 0, 4);
    }
    const Time start = test::draw(random, 0, 59);
    const Time end = test::draw(random, start, 59);
    Time sum = 0;
    Time now = start;
    for (const auto& [part, is_covered] : parts(intervals, {start, end})) {
      ASSERT_EQ(part.start, now);
      ASSERT_LT(part.start, part.end);
      for (; now < part.end; ++now) ASSERT_EQ(covered[static_cast<std::size_t>(now)], is_covered);
      if (is_covered) sum += part.end - part.start;
    }
    ASSERT_EQ(now, end);
    ASSERT_EQ(intervals.covered({start, end}), sum);
  }
}

}  // namespace
}  // namespace heddle::analysis
