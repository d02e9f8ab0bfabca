#include <gtest/gtest.h>

#include "heddle/model/validate.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::test {
namespace {

/// w writes the datum, three tasks update it under `mode`, r reads the result; four workers.
Schedule run_updates(AccessMode mode) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId datum = builder.add_datum({"x", 8});
  const auto add = [&](const char* name, AccessMode how) {
    const Access access{datum, how};
    builder.add_task(name, type, std::span(&access, 1));
  };
  add("w", AccessMode::write);
  for (const char* name : {"u1", "u2", "u3"}) add(name, mode);
  add("r", AccessMode::read);
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(0, make_id<ClassId>(0), 10);
  const Instance instance =
      make_instance("updates", std::move(graph), Platform({{.name = "cpu", .workers = 4}}), costs);
  Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
  EXPECT_TRUE(validate(instance, schedule).empty());
  return schedule;
}

TEST(Commute, UpdatesInAnyOrderButNeverAtOnce) {
  const Schedule schedule = run_updates(AccessMode::commute);
  EXPECT_EQ(schedule.makespan(), 50);
  EXPECT_EQ(index(schedule.attempts[1].task), 1U);  // the smaller number first
}

TEST(Commute, ReductionsRunAtOnce) {
  EXPECT_EQ(run_updates(AccessMode::reduce).makespan(), 30);
}

TEST(Commute, ReadWritesRunInOrder) {
  EXPECT_EQ(run_updates(AccessMode::read_write).makespan(), 50);
}

}  // namespace
}  // namespace heddle::test
