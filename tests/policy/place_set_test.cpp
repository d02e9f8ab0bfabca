#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "heddle/policy/kit/queues/task_order.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::place_set_test {
namespace {

using policy::PlaceSet;

TEST(PlaceSet, BehavesLikeAnOrderedSet) {
  Random random(21);
  for (const std::uint32_t bound : {1U, 2U, 63U, 64U, 65U, 4'096U, 4'097U, 262'144U, 262'145U, 1'000'000U}) {
    PlaceSet places(bound);
    std::set<std::uint32_t> set;
    std::size_t most = 0;
    for (int step = 0; step < rounds(4000); ++step) {
      if (step % 500 == 0) most = static_cast<std::size_t>(draw(random, 1, step % 1000 == 0 ? 4 : 1000));
      const bool edge = draw(random, 0, 9) == 0;
      const auto place = edge ? bound - 1 : static_cast<std::uint32_t>(draw(random, 0, bound - 1));
      if (set.size() < most && draw(random, 0, 2) > 0) {
        if (set.insert(place).second) places.insert(place);
      } else if (!set.empty()) {
        const std::int64_t which = draw(random, 0, 2);
        const auto gone = which == 0   ? set.begin()
                          : which == 1 ? std::prev(set.end())
                                       : std::prev(set.upper_bound(std::max(place, *set.begin())));
        places.erase(*gone);
        set.erase(gone);
      }
      if (step % 100 == 0) places = PlaceSet(places);
      ASSERT_EQ(places.first(), set.empty() ? PlaceSet::kNothing : *set.begin());
      ASSERT_EQ(places.last(), set.empty() ? PlaceSet::kNothing : *set.rbegin());
      const auto next = set.upper_bound(place);
      ASSERT_EQ(places.next(place), next == set.end() ? PlaceSet::kNothing : *next);
    }
  }
}

TEST(PlaceSet, HoldsAllPlaces) {
  constexpr std::uint32_t kBound = 5000;
  PlaceSet places(kBound);
  for (std::uint32_t place = 0; place < kBound; ++place) places.insert(place);
  for (std::uint32_t place = 0; place + 1 < kBound; ++place) ASSERT_EQ(places.next(place), place + 1);
  EXPECT_EQ(places.next(kBound - 1), PlaceSet::kNothing);
  for (std::uint32_t place = 0; place < kBound; ++place) {
    ASSERT_EQ(places.first(), place);
    places.erase(place);
  }
  EXPECT_EQ(places.last(), PlaceSet::kNothing);
}

TEST(PlaceSet, NextIsBeyondMuchThatIsEmpty) {
  PlaceSet places(1'000'000);
  for (const std::uint32_t place : {7U, 3U, 999'999U}) places.insert(place);
  EXPECT_EQ(places.next(3), 7U);
  EXPECT_EQ(places.next(7), 999'999U);
  EXPECT_EQ(places.next(262'143), 999'999U);
}

TEST(PlaceSet, OfNothingIsEmpty) {
  EXPECT_EQ(PlaceSet().first(), PlaceSet::kNothing);
  EXPECT_EQ(PlaceSet(0).last(), PlaceSet::kNothing);
}

}  // namespace
}  // namespace heddle::test::place_set_test
