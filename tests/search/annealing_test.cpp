#include "heddle/search/annealing.hpp"

#include <gtest/gtest.h>

#include "heddle/model/validate.hpp"
#include "tests/search/samples.hpp"

namespace heddle::search {
namespace {

const std::function<bool()> kGoOn = [] { return false; };

TEST(Annealing, RemembersTheBestSchedule) {
  test::Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Instance instance = random_sample(random);
    if (instance.graph.task_count() == 0) continue;
    Annealing annealing(instance, some_schedule(instance), 1, 0);
    Time best = annealing.makespan();
    for (int j = 0; j < 20; ++j) {
      EXPECT_EQ(annealing.run(10, 5, 5, kGoOn), 10U);
      EXPECT_LE(annealing.best_makespan(), best);
      best = annealing.best_makespan();
      const Schedule schedule = annealing.best();
      EXPECT_EQ(schedule.makespan(), best);
      EXPECT_EQ(validate(instance, schedule), std::vector<std::string>{});
    }
  }
}

TEST(Annealing, HotItAlsoGoesUphillAndColdItDoesNot) {
  test::Random random(2);
  std::size_t uphill = 0;
  for (int i = 0; i < 100; ++i) {
    const Instance instance = random_sample(random);
    if (instance.graph.task_count() == 0) continue;
    Annealing hot(instance, some_schedule(instance), 1, 0);
    Annealing cold(instance, some_schedule(instance), 1, 0);
    for (int j = 0; j < 50; ++j) {
      hot.run(1, 100, 100, kGoOn);
      uphill += hot.makespan() > hot.best_makespan() ? 1 : 0;
      cold.run(1, 1e-9, 1e-9, kGoOn);
      EXPECT_EQ(cold.makespan(), cold.best_makespan());
    }
  }
  EXPECT_GT(uphill, 100U);
}

TEST(Annealing, StopsWhenAsked) {
  test::Random random(3);
  const Instance instance = test::random_instance(random, {.zero_durations = false});
  Annealing annealing(instance, some_schedule(instance), 1, 0);
  EXPECT_EQ(annealing.run(1'000'000, 1, 1, [] { return true; }), 0U);
}

}  // namespace
}  // namespace heddle::search
