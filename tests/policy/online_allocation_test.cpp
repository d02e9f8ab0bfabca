// qa, er-ls and mix-eft: their guarantees against brute force, and their rules.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/independent.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_allocation.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::online_allocation_test {
namespace {

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);

Schedule schedule(const Instance& instance, const std::string& spec) {
  return sim::simulate(instance, policy::Spec(spec));
}

/// Small graphs on which every task has its own durations, spread over two orders of magnitude.
Instance small_graph(Random& random) {
  RandomShape shape{.max_tasks = 6, .min_classes = 2, .max_classes = 2, .max_workers = 3};
  shape.max_duration = random() % 2 == 0 ? 8 : 200;
  shape.zero_durations = shape.unrunnable = false;
  shape.shared_types = random() % 2 == 0;
  return random_instance(random, shape);
}

/// The square root of the larger number of workers over the smaller one.
double imbalance(const Instance& instance) {
  const double m = instance.platform.worker_count(kCpu);
  const double k = instance.platform.worker_count(kGpu);
  return std::sqrt(std::max(m / k, k / m));
}

TEST(OnlineAllocation, StaysWithinItsGuarantees) {
  Random random(41);
  for (int round = 0; round < rounds(2000); ++round) {
    const Instance instance = small_graph(random);
    const double s = imbalance(instance);
    const auto optimum = static_cast<double>(optimal_makespan(instance));
    const auto ratio = [&](const char* spec) {
      return static_cast<double>(schedule(instance, spec).makespan()) / optimum;
    };
    const double quick = 2 * s + 1;
    constexpr double kRounding = 1e-12;
    EXPECT_LE(ratio("qa"), quick + kRounding);
    EXPECT_LE(ratio("mix-eft:lambda=0.5"), 1.5 * quick + kRounding);
    EXPECT_LE(ratio("mix-eft:lambda=1"), 2 * quick + kRounding);
    if (instance.platform.worker_count(kCpu) >= instance.platform.worker_count(kGpu)) {
      EXPECT_LE(ratio("er-ls"), 4 * s + kRounding);
    }
  }
}

TEST(OnlineAllocation, GivesTheSchedulesOfThePlainReferences) {
  Random random(44);
  for (int round = 0; round < rounds(3000); ++round) {
    RandomShape shape{.min_classes = 2, .max_classes = 2, .wrong_estimates = round % 4 == 1};
    shape.max_tasks = round % 10 == 0 ? 100 : 30;
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    const Instance instance = random_instance(random, shape);
    const auto attempts = [&](const char* spec) { return schedule(instance, spec).attempts; };
    ASSERT_EQ(attempts("qa"), reference_qa(instance)) << "round " << round;
    ASSERT_EQ(attempts("er-ls"), reference_er_ls(instance, false)) << "round " << round;
    ASSERT_EQ(attempts("er-ls:relative=true"), reference_er_ls(instance, true)) << "round " << round;
    ASSERT_EQ(attempts("mix-eft:lambda=0.5"), reference_mix_eft(instance, 0.5)) << "round " << round;
    ASSERT_EQ(attempts("mix-eft:lambda=1"), reference_mix_eft(instance, 1)) << "round " << round;
    ASSERT_EQ(attempts("mix-eft"), reference_mix_eft(instance, 2)) << "round " << round;
  }
}

// Far beyond 64 bits, and to the picosecond: 4 CPUs and 1 GPU share out at a factor of 2, which still is the CPUs'.
TEST(QuickAllocation, ComparesExactly) {
  const Time gpu = kMaxTime / 128;
  const auto runs_on = [&](Time cpu) {
    const Instance instance = independent({{cpu, gpu}}, 4, 1);
    return instance.platform.class_of(schedule(instance, "qa").attempts[0].worker);
  };
  EXPECT_EQ(runs_on(2 * gpu), kCpu);
  EXPECT_EQ(runs_on(2 * gpu + 1), kGpu);
}

TEST(QuickAllocation, TakesTheOnlyClassThatCanRunATask) {
  const Instance instance = independent({{kCannotRun, 9}, {9, kCannotRun}}, 2, 1);
  for (const char* spec : {"qa", "er-ls", "er-ls:relative=true", "mix-eft"}) {
    EXPECT_EQ(schedule(instance, spec).makespan(), 9) << spec;
  }
}

// A GPU is idle when b becomes ready at 10 and would complete it at 19; a CPU needs 15.
TEST(ErLs, ReadsItsFirstRuleAsPrintedOrRelativeToNow) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const TaskId a = builder.add_task("a", type);
  const TaskId b = builder.add_task("b", type);
  builder.add_edge(a, b);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  const std::uint32_t row_a = costs.own_row(a);
  costs.set_actual(row_a, kGpu, 10);
  const std::uint32_t row_b = costs.own_row(b);
  costs.set_actual(row_b, kCpu, 15);
  costs.set_actual(row_b, kGpu, 9);
  Platform platform({{.name = "cpu", .workers = 4}, {.name = "gpu", .workers = 1}});
  const Instance instance = make_instance("two readings", std::move(graph), std::move(platform), std::move(costs));
  EXPECT_EQ(schedule(instance, "er-ls").makespan(), 25);
  EXPECT_EQ(schedule(instance, "er-ls:relative=true").makespan(), 19);
}

/// Independent tasks by number, each where it ends first; ties to the smallest worker.
Time earliest_finish_makespan(const Instance& instance) {
  Table<WorkerId, Time> free(instance.platform.worker_count(), 0);
  for (const TaskId task : instance.graph.tasks()) {
    WorkerId best = kNone<WorkerId>;
    Time best_end = kMaxTime;
    for (const WorkerId worker : free.ids()) {
      const Time duration = instance.costs.actual(task, instance.platform.class_of(worker));
      if (duration == kCannotRun || free[worker] + duration >= best_end) continue;
      best = worker;
      best_end = free[worker] + duration;
    }
    free[best] = best_end;
  }
  return *std::ranges::max_element(free);
}

TEST(MixEft, LiesBetweenItsTwoParts) {
  Random random(42);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance graph = random_instance(random, {.min_classes = 2, .max_classes = 2});
    EXPECT_EQ(schedule(graph, "mix-eft:lambda=0").makespan(), schedule(graph, "qa").makespan());
    const Instance tasks = random_independent(random, {.max_tasks = 40, .max_duration = 100});
    EXPECT_EQ(schedule(tasks, "mix-eft:lambda=1000000").makespan(), earliest_finish_makespan(tasks));
  }
}

// Independent tasks become known in order, so that on them the mix never gets longer than lambda times what Quick
// Allocation needs plus what Quick Allocation adds after the change.
TEST(MixEft, IsNotMuchLongerThanQuickAllocation) {
  Random random(43);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance tasks = random_independent(random, {.max_tasks = 60, .max_duration = 1000});
    const Time quick = schedule(tasks, "qa").makespan();
    EXPECT_LE(schedule(tasks, "mix-eft:lambda=1").makespan(), 2 * quick);
  }
}

}  // namespace
}  // namespace heddle::test::online_allocation_test
