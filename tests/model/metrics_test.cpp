#include "heddle/model/metrics.hpp"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

/// x takes 9 s and 4 s, y 7.5 s and 3 s, on one CPU and one GPU.
Instance pair() {
  TaskGraphBuilder builder;
  builder.add_task("x", builder.add_type("x"));
  builder.add_task("y", builder.add_type("y"));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(0), 9 * kSecond);
  costs.set_actual(0, make_id<ClassId>(1), 4 * kSecond);
  costs.set_actual(1, make_id<ClassId>(0), 15 * kSecond / 2);
  costs.set_actual(1, make_id<ClassId>(1), 3 * kSecond);
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  return make_instance("pair", std::move(graph), std::move(platform), std::move(costs));
}

Schedule spoliated() {
  Schedule schedule;
  const auto task = [](std::size_t number) { return make_id<TaskId>(number); };
  const auto worker = [](std::size_t number) { return make_id<WorkerId>(number); };
  schedule.attempts = {{task(1), worker(1), 0, 3 * kSecond, Outcome::completed},
                       {task(0), worker(0), 0, 3 * kSecond, Outcome::aborted},
                       {task(0), worker(1), 3 * kSecond, 7 * kSecond, Outcome::completed}};
  return schedule;
}

TEST(Metrics, CountsAbortedWorkAsIdle) {
  const auto use = class_use(pair(), spoliated());
  EXPECT_EQ(spoliated().makespan(), 7 * kSecond);
  EXPECT_EQ(spoliated().aborted_attempts(), 1U);
  EXPECT_EQ(use[make_id<ClassId>(0)].busy, 0);
  EXPECT_EQ(use[make_id<ClassId>(0)].idle, 7 * kSecond);
  EXPECT_EQ(use[make_id<ClassId>(1)].busy, 7 * kSecond);
  EXPECT_EQ(use[make_id<ClassId>(1)].idle, 0);
}

TEST(Metrics, EquivalentAccelerationIsThatOfTheSum) {
  const auto use = class_use(pair(), spoliated());
  EXPECT_FALSE(use[make_id<ClassId>(0)].acceleration);
  EXPECT_DOUBLE_EQ(use[make_id<ClassId>(1)].acceleration.value(), 16.5 / 7);
}

TEST(Metrics, NormalizedIdleDividesByTheBoundsUse) {
  Table<ClassId, double> bound_use(2, 0);
  bound_use[make_id<ClassId>(0)] = 3.5 * kSecond;
  const auto idle = normalized_idle(class_use(pair(), spoliated()), bound_use);
  EXPECT_DOUBLE_EQ(idle[make_id<ClassId>(0)].value(), 2);
  EXPECT_FALSE(idle[make_id<ClassId>(1)]);
}

TEST(Metrics, MeanSlowdownOnOneClass) {
  TaskGraphBuilder builder;
  builder.add_task("x", builder.add_type("x"));
  TaskGraph graph = builder.build();
  Costs costs(graph, 3);
  for (std::size_t c = 0; c < 3; ++c) costs.set_actual(0, make_id<ClassId>(c), static_cast<Time>(c + 2));
  Platform platform({{.name = "a", .workers = 1}, {.name = "b", .workers = 1}, {.name = "c", .workers = 1}});
  const Instance instance = make_instance("three", std::move(graph), std::move(platform), std::move(costs));
  Schedule schedule;
  schedule.attempts = {{make_id<TaskId>(0), make_id<WorkerId>(2), 0, 4, Outcome::completed}};
  EXPECT_DOUBLE_EQ(class_use(instance, schedule)[make_id<ClassId>(2)].acceleration.value(), 2);
}

}  // namespace
}  // namespace heddle::test
