#include "heddle/model/metrics.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "heddle/model/error.hpp"

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

TEST(Metrics, ContextsAreIdleWhileTheyHaveWorkers) {
  Schedule schedule = spoliated();
  schedule.contexts.all.push_back({"a", {WorkerId{0}}});
  schedule.contexts.all.push_back({"b", {WorkerId{1}}});
  schedule.contexts.of = Table<TaskId, ContextId>(2, ContextId{1});
  schedule.moves = {{3 * kSecond, WorkerId{0}, ContextId{0}, ContextId{1}}};
  const auto use = context_use(schedule);
  EXPECT_EQ(use[ContextId{0}].idle, 3 * kSecond);
  EXPECT_EQ(use[ContextId{1}].idle, (7 + 4 - 7) * kSecond);
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

TEST(Metrics, IdleTimeOfManyWorkersPasses64Bits) {
  Instance instance = pair();
  instance.platform = Platform({{.name = "cpu", .workers = 1000}, {.name = "gpu", .workers = 1}});
  Schedule schedule;
  schedule.attempts = {{make_id<TaskId>(0), make_id<WorkerId>(1000), 0, 12'000 * kSecond, Outcome::completed}};
  const auto use = class_use(instance, schedule);
  EXPECT_EQ(format_seconds(use[make_id<ClassId>(0)].idle), "12000000.0");
  const Table<ClassId, double> bound_use(2, 12e15);
  EXPECT_DOUBLE_EQ(*normalized_idle(use, bound_use)[make_id<ClassId>(0)], 1000);
}

TEST(Metrics, TransferredBytesStopWhere64BitsEnd) {
  Schedule schedule;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Transfer transfer{make_id<DataId>(0), make_id<MemoryId>(0), make_id<MemoryId>(1), 0, 1, kMost / 16};
  schedule.transfers.assign(15, transfer);
  EXPECT_EQ(transferred_bytes(schedule), kMost / 16 * 15);
  schedule.transfers.assign(20, transfer);
  EXPECT_EQ(transferred_bytes(schedule), kMost);
}

TEST(MakeInstance, RefusesMoreBytesThanCanBeAddedUp) {
  TaskGraphBuilder builder;
  builder.add_datum({"d", std::int64_t{1} << 58});
  builder.add_datum({"e", std::int64_t{1} << 58});
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  try {
    (void)make_instance("large", std::move(graph), Platform({{.name = "cpu", .workers = 1}}), std::move(costs));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the data have more than 576460752303423487 bytes together, the most that is possible (at datum 'e')");
  }
}

}  // namespace
}  // namespace heddle::test
