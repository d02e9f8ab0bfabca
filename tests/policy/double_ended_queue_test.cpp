#include "heddle/policy/kit/queues/double_ended_queue.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

TEST(DoubleEndedQueue, BehavesLikeAnOrderedSet) {
  Random random(21);
  for (int round = 0; round < rounds(200); ++round) {
    policy::DoubleEndedQueue<std::int64_t> queue;
    std::multiset<std::int64_t> set;
    const std::int64_t range = draw(random, 1, 1000);
    const std::size_t most = draw(random, 0, 1) == 0 ? 400 : 4;
    for (int step = 0; step < rounds(400); ++step) {
      const std::int64_t dice = draw(random, 0, 3);
      if ((dice <= 1 && set.size() < most) || set.empty()) {
        const std::int64_t key = draw(random, 0, range);
        queue.push(key);
        set.insert(key);
      } else if (dice % 2 == 0) {
        queue.pop_front();
        set.erase(set.begin());
      } else {
        queue.pop_back();
        set.erase(std::prev(set.end()));
      }
      ASSERT_EQ(queue.size(), set.size());
      if (set.empty()) continue;
      ASSERT_EQ(queue.front(), *set.begin());
      ASSERT_EQ(queue.back(), *set.rbegin());
    }
  }
}

}  // namespace
}  // namespace heddle::test
