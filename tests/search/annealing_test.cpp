#include "heddle/search/annealing.hpp"

#include <gtest/gtest.h>

#include "heddle/model/validate.hpp"
#include "tests/search/samples.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

const std::function<bool()> kGoOn = [] { return false; };

TEST(Annealing, RemembersTheBestSchedule) {
  test::Random random(1);
  for (int i = 0; i < test::rounds(500); ++i) {
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
  for (int i = 0; i < test::rounds(100); ++i) {
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

TEST(Annealing, MovesAwayWhatHasSlackAndIsInTheWay) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("type");
  const TaskId late = builder.add_task("late", type);
  const TaskId in_the_way = builder.add_task("in the way", type);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  const auto set = [&](TaskId task, Time cpu, Time gpu) {
    const std::uint32_t row = costs.own_row(task);
    costs.set_actual(row, ClassId{0}, cpu);
    costs.set_actual(row, ClassId{1}, gpu);
  };
  set(late, 10, 6);
  set(in_the_way, 6, 5);
  const Instance instance = make_instance(
      "two tasks", std::move(graph), Platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1}}), costs);
  Schedule start;
  start.attempts = {{late, WorkerId{0}, 0, 10, Outcome::completed},
                    {in_the_way, WorkerId{2}, 0, 5, Outcome::completed}};
  ASSERT_EQ(validate(instance, start), std::vector<std::string>{});
  Annealing cold(instance, start, 1, 0);
  cold.run(1000, 1e-9, 1e-9, kGoOn);
  EXPECT_EQ(cold.best_makespan(), 6);
}

TEST(Annealing, StopsWhenAsked) {
  test::Random random(3);
  const Instance instance = test::random_instance(random, {.zero_durations = false});
  Annealing annealing(instance, some_schedule(instance), 1, 0);
  EXPECT_EQ(annealing.run(1'000'000, 1, 1, [] { return true; }), 0U);
}

}  // namespace
}  // namespace heddle::search
