#include "heddle/sim/end_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

TEST(EndTimes, FindsTheEarliestEndAndTheSmallestWorker) {
  Random random(41);
  for (std::size_t workers = 1; workers <= 70; ++workers) {
    sim::EndTimes ends(workers);
    std::vector<Time> plain(workers, kMaxTime);
    EXPECT_EQ(ends.next(), kMaxTime);
    for (int step = 0; step < rounds(200); ++step) {
      const auto worker = static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(workers) - 1));
      plain[worker] = draw(random, 0, 3) == 0 ? kMaxTime : draw(random, 0, 20);
      ends.set(make_id<WorkerId>(worker), plain[worker]);
      const auto least = std::ranges::min_element(plain);
      ASSERT_EQ(ends.next(), *least);
      if (*least == kMaxTime) continue;
      ASSERT_EQ(index(ends.worker()), static_cast<std::size_t>(least - plain.begin()));
    }
  }
}

}  // namespace
}  // namespace heddle::test
