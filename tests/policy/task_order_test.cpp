#include "heddle/policy/kit/queues/task_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using policy::QueueKey;
using policy::TaskOrder;

void expect_sorted(const std::vector<QueueKey>& keys) {
  std::vector<QueueKey> sorted = keys;
  std::ranges::sort(sorted);
  const TaskOrder order(keys.size(), [&](TaskId task) { return keys[index(task)]; });
  ASSERT_EQ(order.size(), keys.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    ASSERT_EQ(order.task(place), policy::task_of(sorted[place]));
    ASSERT_EQ(order.place(order.task(place)), place);
  }
}

TEST(TaskOrder, IsThatOfTheKeys) {
  Random random(5);
  for (int round = 0; round < rounds(200); ++round) {
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 2 >> draw(random, 0, 61);
    const std::int64_t ranks = draw(random, 0, 1) * 1000;
    std::vector<QueueKey> keys;
    for (std::int64_t i = draw(random, 0, 1000); i > 0; --i) {
      const auto rank = static_cast<std::uint32_t>(draw(random, 0, ranks));
      keys.push_back(policy::queue_key(rank, draw(random, -largest, largest), make_id<TaskId>(keys.size())));
    }
    expect_sorted(keys);
  }
}

TEST(TaskOrder, OfSortedAndReversedAndEqualKeys) {
  for (const std::int64_t step : {-3, 0, 3}) {
    std::vector<QueueKey> keys;
    for (std::int64_t i = 0; i < 300; ++i) keys.push_back(policy::queue_key(0, i * step, make_id<TaskId>(keys.size())));
    expect_sorted(keys);
    // All but the last are in order.
    keys.back() = policy::queue_key(0, -1000 * step, policy::task_of(keys.back()));
    expect_sorted(keys);
  }
}

}  // namespace
}  // namespace heddle::test
