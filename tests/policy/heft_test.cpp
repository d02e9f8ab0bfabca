#include <gtest/gtest.h>

#include "heddle/sim/simulation.hpp"

namespace heddle::test {
namespace {

// The classic of insertion: the short task fills the gap that the long chain leaves on the fast worker.
TEST(Heft, InsertsIntoAGap) {
  TaskGraphBuilder builder;
  const TypeId work = builder.add_type("work");
  const TaskId a = builder.add_task("a", work);
  const TaskId b = builder.add_task("b", work);
  const TaskId c = builder.add_task("c", work);
  builder.add_task("filler", work);
  builder.add_edge(a, b);
  builder.add_edge(b, c);
  TaskGraph graph = builder.build();
  Platform platform({{.name = "slow", .workers = 1}, {.name = "fast", .workers = 1}});
  Costs costs(graph, 2);
  const auto set = [&](TaskId task, Time slow, Time fast) {
    const std::uint32_t row = costs.own_row(task);
    costs.set_actual(row, make_id<ClassId>(0), slow);
    costs.set_actual(row, make_id<ClassId>(1), fast);
  };
  set(a, kCannotRun, 10);
  set(b, 10, kCannotRun);
  set(c, kCannotRun, 10);
  set(make_id<TaskId>(3), kCannotRun, 9);
  const Instance instance = make_instance("gap", std::move(graph), std::move(platform), std::move(costs));
  const Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
  EXPECT_EQ(schedule.makespan(), 30);
  EXPECT_EQ(schedule.attempts[1], (Attempt{make_id<TaskId>(3), make_id<WorkerId>(1), 10, 19, Outcome::completed}));
}

}  // namespace
}  // namespace heddle::test
