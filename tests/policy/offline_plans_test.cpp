#include "heddle/policy/kit/plans/offline_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "heddle/model/levels.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_plans.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::offline_plans_test {
namespace {

constexpr std::size_t kProcessors = 3;

struct Message {
  std::size_t from;
  std::size_t to;
  std::int64_t bytes;
};

/// Ten tasks, numbered from 1, on three processors with memories of their own; a byte takes a picosecond.
Instance example(const std::array<std::array<Time, kProcessors>, 10>& durations, const std::vector<Message>& messages) {
  TaskGraphBuilder builder;
  std::vector<std::vector<Access>> accesses(durations.size());
  for (const auto& [from, to, bytes] : messages) {
    const DataId datum =
        builder.add_datum({.name = std::to_string(from) + "-" + std::to_string(to), .bytes = bytes, .home = "ram"});
    accesses[from - 1].push_back({datum, AccessMode::write});
    accesses[to - 1].push_back({datum, AccessMode::read});
  }
  const TypeId type = builder.add_type("task");
  for (std::size_t t = 0; t < durations.size(); ++t) builder.add_task(std::to_string(t + 1), type, accesses[t]);
  TaskGraph graph = builder.build();

  const std::array<const char*, kProcessors> memories{"ram", "m2", "m3"};
  std::vector<ResourceClass> classes;
  std::vector<Link> links;
  for (const char* memory : memories) {
    classes.push_back({.name = std::string("on ") + memory, .workers = 1, .memory = memory});
    for (const char* other : memories) {
      if (memory != other) links.push_back({memory, other, static_cast<double>(kSecond), 0, {}});
    }
  }
  Platform platform(classes, links);
  Costs costs(graph, kProcessors);
  for (const TaskId task : graph.tasks()) {
    const std::uint32_t row = costs.own_row(task);
    for (const ClassId c : platform.classes()) costs.set_actual(row, c, durations[index(task)][index(c)]);
  }
  return make_instance("example", std::move(graph), std::move(platform), std::move(costs));
}

/// Topcuoglu et al. 2002, figures 2 and 3.
Instance topcuoglu() {
  return example({{{14, 16, 9},
                   {13, 19, 18},
                   {11, 13, 19},
                   {13, 8, 17},
                   {12, 13, 10},
                   {13, 16, 9},
                   {7, 15, 11},
                   {5, 11, 14},
                   {18, 12, 20},
                   {21, 7, 16}}},
                 {{1, 2, 18},
                  {1, 3, 12},
                  {1, 4, 9},
                  {1, 5, 11},
                  {1, 6, 14},
                  {2, 8, 19},
                  {2, 9, 16},
                  {3, 7, 23},
                  {4, 8, 27},
                  {4, 9, 23},
                  {5, 9, 13},
                  {6, 8, 15},
                  {7, 10, 17},
                  {8, 10, 11},
                  {9, 10, 13}});
}

/// Arabnejad and Barbosa 2014, figure 1 and table 1.
Instance arabnejad() {
  return example({{{22, 21, 36},
                   {22, 18, 18},
                   {32, 27, 43},
                   {7, 10, 4},
                   {29, 27, 35},
                   {26, 17, 24},
                   {14, 25, 30},
                   {29, 23, 36},
                   {15, 21, 8},
                   {13, 16, 33}}},
                 {{1, 2, 17},
                  {1, 3, 31},
                  {1, 4, 29},
                  {1, 5, 13},
                  {1, 6, 7},
                  {2, 8, 3},
                  {2, 9, 30},
                  {3, 7, 16},
                  {4, 8, 11},
                  {4, 9, 7},
                  {5, 9, 57},
                  {6, 8, 5},
                  {7, 10, 9},
                  {8, 10, 42},
                  {9, 10, 7}});
}

Time makespan(const std::vector<Attempt>& plan) {
  Time last = 0;
  for (const Attempt& attempt : plan) last = std::max(last, attempt.end);
  return last;
}

TEST(OfflinePlans, HeftMeetsThePublishedExample) {
  const std::vector<Attempt> plan = policy::heft_plan(topcuoglu(), Rank::avg);
  std::vector<std::size_t> order;
  for (const Attempt& attempt : plan) order.push_back(index(attempt.task) + 1);
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 3, 4, 2, 5, 6, 9, 7, 8, 10}));
  EXPECT_EQ(makespan(plan), 80);
}

TEST(OfflinePlans, CpopMeetsThePublishedExample) {
  const std::vector<Attempt> plan = policy::cpop_plan(topcuoglu());
  for (const Attempt& attempt : plan) {
    const std::size_t number = index(attempt.task) + 1;
    const bool critical = number == 1 || number == 2 || number == 9 || number == 10;
    if (critical) {
      EXPECT_EQ(index(attempt.worker), 1U) << "the critical path is on the second processor";
    }
  }
  EXPECT_EQ(makespan(plan), 86);
}

TEST(OfflinePlans, PeftMeetsThePublishedExample) {
  EXPECT_EQ(makespan(policy::peft_plan(arabnejad())), 122);
  EXPECT_EQ(makespan(policy::heft_plan(arabnejad(), Rank::avg)), 133) << "as the paper says of HEFT";
}

/// What is wrong with a plan; empty when each task is there once, on a worker that runs one task at a time, after its
/// predecessors and what it reads.
std::string flaw(const Instance& instance, std::vector<Attempt> plan) {
  const Communication communication(instance);
  if (plan.size() != instance.graph.task_count()) return "not all tasks";
  std::ranges::sort(plan, {}, &Attempt::task);
  for (const Attempt& attempt : plan) {
    for (const TaskId predecessor : instance.graph.predecessors(attempt.task)) {
      if (plan[index(predecessor)].end > attempt.start) return "before a predecessor";
    }
    const MemoryId here = instance.platform.memory_of(attempt.worker);
    for (const Communication::Inflow& flow : communication.inflows(attempt.task)) {
      const bool home = flow.producer == kNone<TaskId>;
      const Attempt& producer = plan[home ? 0 : index(flow.producer)];
      const MemoryId from = home ? flow.home : instance.platform.memory_of(producer.worker);
      const Time arrival = (home ? 0 : producer.end) + communication.duration(from, here, flow.bytes);
      if (arrival > attempt.start) return "before its data";
    }
    const Time duration = instance.costs.estimate(attempt.task, instance.platform.class_of(attempt.worker));
    if (attempt.end - attempt.start != duration) return "another duration";
  }
  std::ranges::sort(plan, {}, [](const Attempt& a) { return std::tuple(a.worker, a.start, a.end); });
  for (std::size_t i = 1; i < plan.size(); ++i) {
    if (plan[i - 1].worker == plan[i].worker && plan[i - 1].end > plan[i].start) return "two tasks at once";
  }
  return "";
}

TEST(OfflinePlans, ArePossible) {
  Random random(44);
  for (int round = 0; round < rounds(600); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = round % 2 == 1, .data = round % 3 != 0});
    ASSERT_EQ(flaw(instance, policy::heft_plan(instance, Rank::min)), "");
    ASSERT_EQ(flaw(instance, policy::cpop_plan(instance)), "");
    ASSERT_EQ(flaw(instance, policy::peft_plan(instance)), "");
  }
}

/// A plan, and what a policy makes of it where durations are as estimated and tasks share no data.
void expect_plan(const Instance& instance, const char* spec, const std::vector<Attempt>& plan,
                 std::vector<Attempt> expected) {
  ASSERT_EQ(plan, expected) << spec;
  if (instance.costs.estimates_differ() || instance.graph.data_count() > 0) return;
  std::vector<Attempt> made = sim::simulate(instance, policy::Spec(spec)).attempts;
  std::ranges::sort(made, {}, &Attempt::task);
  std::ranges::sort(expected, {}, &Attempt::task);
  EXPECT_EQ(made, expected) << spec;
}

// Tasks take time: of those that take none at one instant, the plain plans do not say which one comes first.
TEST(OfflinePlans, AreThoseOfThePlainReferences) {
  Random random(45);
  for (int round = 0; round < rounds(3000) && !HasFailure(); ++round) {
    RandomShape shape{.max_tasks = 40, .zero_durations = false, .wrong_estimates = round % 4 == 1};
    shape.data = round % 3 != 0;
    shape.max_duration = round % 2 == 0 ? 20 : 1000;
    shape.shared_types = round % 5 != 0;
    const Instance instance = random_instance(random, shape);
    SCOPED_TRACE(round);
    for (const auto& [rank, spec] : {std::pair(Rank::min, "heft:rank=min"), std::pair(Rank::avg, "heft:rank=avg")}) {
      expect_plan(instance, spec, policy::heft_plan(instance, rank), reference_heft(instance, rank));
    }
    expect_plan(instance, "cpop", policy::cpop_plan(instance), reference_cpop(instance));
    expect_plan(instance, "peft", policy::peft_plan(instance), reference_peft(instance));
  }
}

}  // namespace
}  // namespace heddle::test::offline_plans_test
