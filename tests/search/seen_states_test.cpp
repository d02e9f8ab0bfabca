#include "heddle/search/seen_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

/// A second version: lists, of which the older is forgotten when the younger is full.
class PlainStates {
 public:
  explicit PlainStates(std::size_t numbers) : capacity_(numbers) {}

  [[nodiscard]] bool dominates(const std::vector<std::int64_t>& tasks, const std::vector<Time>& front) const {
    const auto is_before = [&](const State& state) {
      return state.tasks == tasks && std::ranges::equal(state.front, front, std::less_equal{});
    };
    return std::ranges::any_of(young_, is_before) || std::ranges::any_of(old_, is_before);
  }
  void insert(const std::vector<std::int64_t>& tasks, const std::vector<Time>& front) {
    const std::size_t numbers = 1 + tasks.size() + front.size();
    if (used_ + numbers > capacity_) {
      old_ = std::move(young_);
      young_.clear();
      used_ = 1;
    }
    young_.push_back({tasks, front});
    used_ += numbers;
  }

 private:
  struct State {
    std::vector<std::int64_t> tasks;
    std::vector<Time> front;
  };
  std::size_t capacity_;
  std::size_t used_ = 1;  // the number before the first state
  std::vector<State> young_;
  std::vector<State> old_;
};

/// Fronts of a set of tasks are equally long.
std::vector<Time> random_front(test::Random& random, const std::vector<std::int64_t>& tasks) {
  std::vector<Time> front(static_cast<std::size_t>(1 + tasks.front() % 3));
  for (Time& time : front) time = test::draw(random, 0, 50);
  return front;
}

void expect_alike(test::Random& random, std::size_t words, std::size_t numbers, int rounds) {
  SeenStates seen(words, 2 * numbers * sizeof(std::int64_t));
  PlainStates plain(numbers);
  int dominated = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::int64_t> tasks;
    for (std::size_t word = 0; word < words; ++word) tasks.push_back(test::draw(random, 0, 30));
    const std::vector<Time> front = random_front(random, tasks);
    ASSERT_EQ(seen.dominates(tasks, front), plain.dominates(tasks, front)) << "round " << round;
    if (plain.dominates(tasks, front)) ++dominated;
    seen.insert(tasks, front);
    plain.insert(tasks, front);
  }
  EXPECT_GT(dominated, 0);
}

TEST(SeenStates, AgreeWithLists) {
  if constexpr (test::kThreadsSanitized) GTEST_SKIP() << "one thread";
  test::Random random(1);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    const auto numbers = static_cast<std::size_t>(test::draw(random, 50, 500));
    expect_alike(random, static_cast<std::size_t>(1 + round % 2), numbers, 400);
  }
  expect_alike(random, 2, 100'000, 2500);  // more than the table has slots for at first
}

}  // namespace
}  // namespace heddle::search
