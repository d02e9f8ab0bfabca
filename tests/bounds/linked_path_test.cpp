#include "heddle/bounds/linked_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heddle/bounds/linked_area.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);
constexpr TaskId kFirstTask = make_id<TaskId>(0);

/// A cpu, and a gpu with a memory of its own; links carry a byte in a picosecond. Tasks take 9 and 1.
class Steps {
 public:
  Steps() { type_ = builder_.add_type("STEP"); }

  DataId datum(std::int64_t bytes) { return builder_.add_datum({"d" + std::to_string(builder_.data_count()), bytes}); }
  TaskId step(std::vector<Access> accesses) {
    return builder_.add_task("t" + std::to_string(builder_.task_count()), type_, accesses);
  }
  Instance build(bool linked = true) {
    std::vector<Link> links;
    if (linked) links = {{"ram", "gpu0", 1e12, 0, {}}, {"gpu0", "ram", 1e12, 0, {}}};
    TaskGraph graph = builder_.build();
    Costs costs(graph, 2);
    costs.set_actual(0, kCpu, 9);
    costs.set_actual(0, kGpu, 1);
    return make_instance("steps", std::move(graph), Platform({{"cpu", 1, "ram", {}}, {"gpu", 1, "each", {}}}, links),
                         std::move(costs));
  }

 private:
  TaskGraphBuilder builder_;
  TypeId type_{};
};

TEST(LinkedPath, DataComesFromHomeAndStaysWhereItIsWritten) {
  Steps steps;
  const DataId a = steps.datum(5);
  steps.step({{a, AccessMode::read_write}});
  steps.step({{a, AccessMode::read_write}});
  const Instance instance = steps.build();
  const auto bound = linked_path_bound(instance);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->value, 7);  // 5 to the gpu, two steps there
  EXPECT_EQ(bound->path, (std::vector<TaskId>{kFirstTask, make_id<TaskId>(1)}));
  EXPECT_EQ(critical_path_bound(instance).value, 2);
}

TEST(LinkedPath, AFarDatumIsNotWorthATrip) {
  Steps steps;
  steps.step({{steps.datum(20), AccessMode::read_write}});
  EXPECT_EQ(linked_path_bound(steps.build())->value, 9);
}

TEST(LinkedPath, WhatIsOnlyWrittenDoesNotCome) {
  Steps steps;
  const DataId a = steps.datum(5);
  steps.step({{a, AccessMode::write}});
  steps.step({{a, AccessMode::read}});
  EXPECT_EQ(linked_path_bound(steps.build())->value, 2);
}

TEST(LinkedPath, TasksThatCommuteNeedWhatWasBeforeThem) {
  Steps steps;
  const DataId a = steps.datum(5);
  steps.step({{a, AccessMode::write}});
  steps.step({{a, AccessMode::commute}});
  steps.step({{a, AccessMode::commute}});
  steps.step({{a, AccessMode::read}});
  EXPECT_EQ(linked_path_bound(steps.build())->value, 3);  // the two of the group count as if side by side
}

/// Ten data of 5 ps each, and tasks of 9 and 1: x of them on the gpu keep the link busy for 5 x, the cpu for 9 (10 -
/// x).
TEST(LinkedArea, BytesAreWorkOfTheLinks) {
  Steps steps;
  for (int i = 0; i < 10; ++i) steps.step({{steps.datum(5), AccessMode::read}});
  const Instance instance = steps.build();
  EXPECT_EQ(area_bound(instance).value, 9);
  EXPECT_EQ(linked_area_bound(instance)->value, 32);  // 450 / 14
  EXPECT_EQ(linked_path_bound(instance)->value, 6);
}

TEST(LinkedArea, ADatumCrossesOnceAndOnlyItsFirstValueMust) {
  Steps steps;
  const DataId a = steps.datum(50);
  const DataId b = steps.datum(50);
  for (int i = 0; i < 10; ++i) steps.step({{a, AccessMode::read}});
  for (int i = 0; i < 10; ++i) steps.step({{b, i == 0 ? AccessMode::write : AccessMode::read}});
  const Instance instance = steps.build();
  EXPECT_EQ(linked_area_bound(instance)->value, area_bound(instance).value);  // one task stays on the cpu
}

TEST(LinkedArea, ABusThatAllLinksShareLimitsThem) {
  const auto bound = [](std::vector<Bus> buses) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("T");
    for (int i = 0; i < 12; ++i) {
      const DataId datum = builder.add_datum({"d" + std::to_string(i), 100});
      builder.add_task("t" + std::to_string(i), type, std::vector<Access>{{datum, AccessMode::read}});
    }
    TaskGraph graph = builder.build();
    Costs costs(graph, 1);
    costs.set_actual(0, kCpu, 1);
    std::vector<std::string> via;
    for (const Bus& bus : buses) via.push_back(bus.name);
    const std::vector<Link> links{{"ram", "gpu0", 1e12, 0, via},
                                  {"ram", "gpu1", 1e12, 0, via},
                                  {"gpu0", "ram", 1e12, 0, {}},
                                  {"gpu1", "ram", 1e12, 0, {}}};
    return linked_area_bound(make_instance("bus", std::move(graph), Platform({{"gpu", 2, "each", {}}}, links, buses),
                                           std::move(costs)))
        ->value;
  };
  EXPECT_EQ(bound({}), 600);
  EXPECT_EQ(bound({{"host", 1e12}}), 12 * 99);  // rounded down, each
}

TEST(LinkedPath, IsNothingWithoutLinks) {
  Steps steps;
  steps.step({{steps.datum(5), AccessMode::read}});
  const Instance instance = steps.build(false);
  EXPECT_FALSE(linked_path_bound(instance));
  EXPECT_FALSE(linked_area_bound(instance));
}

TEST(LinkedPath, OfAnEmptyGraphIsZero) {
  EXPECT_EQ(linked_path_bound(Steps().build())->value, 0);
}

/// Calls visit(plan) with every way to give the tasks to workers in every order.
template <class Visit>
void for_each_plan(const Instance& instance, Visit&& visit) {
  std::vector<TaskId> order(instance.graph.tasks().begin(), instance.graph.tasks().end());
  do {
    std::vector<std::size_t> worker(order.size(), 0);
    for (bool more = true; more;) {
      Schedule plan;
      bool runs = true;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto id = make_id<WorkerId>(worker[i]);
        const auto time = static_cast<Time>(i);
        runs = runs && instance.costs.can_run(order[i], instance.platform.class_of(id));
        plan.attempts.push_back({order[i], id, time, time, Outcome::completed});
      }
      if (runs) visit(plan);
      more = false;
      for (std::size_t i = 0; i < worker.size() && !more; ++i) {
        more = ++worker[i] < instance.platform.worker_count();
        if (!more) worker[i] = 0;
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

[[nodiscard]] bool is_topological(const Instance& instance, const Schedule& plan) {
  Table<TaskId, bool> done(instance.graph.task_count(), false);
  for (const Attempt& attempt : plan.attempts) {
    for (const TaskId before : instance.graph.predecessors(attempt.task)) {
      if (!done[before]) return false;
    }
    done[attempt.task] = true;
  }
  return true;
}

/// The shortest of all schedules that follow a plan.
Time shortest(const Instance& instance) {
  Time best = kMaxTime;
  for_each_plan(instance, [&](const Schedule& plan) {
    if (!is_topological(instance, plan)) return;
    const Schedule schedule = sim::simulate(instance, policy::Spec("static"), {}, &plan);
    best = std::min(best, schedule.makespan());
  });
  return best;
}

TEST(LinkedPath, IsNeverAboveTheShortestSchedule) {
  std::size_t met = 0;
  std::size_t looked_at = 0;
  std::size_t above_area = 0;
  for (std::uint64_t round = 0; round < test::rounds(2000U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = true;
    shape.max_tasks = 3;
    shape.max_classes = 2;
    shape.max_workers = round % 4 == 0 ? 2 : 1;
    shape.max_data = 3;
    shape.any_home = round % 2 == 0;
    shape.limited = false;
    const Instance instance = test::random_instance(random, shape);
    const auto bound = linked_path_bound(instance);
    if (!bound) continue;
    ++looked_at;
    const Time best = shortest(instance);
    const Bound linked = linked_area_bound(instance).value();
    const Bound area = area_bound(instance);
    ASSERT_LE(linked.value, best);
    ASSERT_GE(linked.value, area.value);
    if (linked.value > area.value) {
      ++above_area;
    } else {
      ASSERT_EQ(linked.use, area.use) << "where the bytes do not count it is the area bound";
    }
    ASSERT_LE(bound->value, best);
    ASSERT_GE(bound->value, critical_path_bound(instance).value);
    if (bound->value == best) ++met;
  }
  EXPECT_GE(looked_at, test::rounds(500U));
  EXPECT_GE(above_area, looked_at / 10) << "the bytes count";
  EXPECT_GE(met, looked_at / 3) << "a bound of so small instances is often the optimum";
}

TEST(LinkedPath, IsNeverAboveASimulatedSchedule) {
  for (std::uint64_t round = 0; round < test::rounds(1000U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = true;
    shape.any_home = round % 2 == 0;
    const Instance instance = test::random_instance(random, shape);
    const auto bound = linked_path_bound(instance);
    if (!bound) continue;
    const Time area = linked_area_bound(instance)->value;
    for (const char* policy : {"dmdas", "heft", "eager"}) {
      const Schedule schedule = sim::simulate(instance, policy::Spec(policy));
      ASSERT_EQ(validate(instance, schedule), std::vector<std::string>());
      ASSERT_LE(bound->value, schedule.makespan()) << policy;
      ASSERT_LE(area, schedule.makespan()) << policy;
    }
  }
}

}  // namespace
}  // namespace heddle::bounds
