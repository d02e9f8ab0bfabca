// hlp and qhlp: their guarantees, and the two steps.

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/sim/simulation.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_allocation.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::lp_allocation_test {
namespace {

constexpr double kTolerance = 1 + 1e-6;  // of the linear program

Schedule schedule(const Instance& instance, const std::string& spec) {
  return sim::simulate(instance, policy::Spec(spec));
}

Instance small_graph(Random& random, std::size_t classes) {
  RandomShape shape{.max_tasks = 6, .min_classes = classes, .max_classes = classes, .max_workers = 2};
  shape.max_duration = random() % 2 == 0 ? 8 : 200;
  shape.zero_durations = false;
  shape.shared_types = random() % 2 == 0;
  return random_instance(random, shape);
}

TEST(LpAllocation, StaysWithinItsGuarantee) {
  Random random(61);
  for (int round = 0; round < rounds(600); ++round) {
    const std::size_t classes = round % 4 == 0 ? 3 : 2;
    const Instance instance = small_graph(random, classes);
    const auto optimum = static_cast<double>(optimal_makespan(instance));
    const double guarantee = static_cast<double>(classes * (classes + 1)) * optimum * kTolerance;
    for (const char* spec : {"qhlp", "qhlp:list=est", "hlp", "hlp:list=est"}) {
      if (classes > 2 && spec[0] == 'h') continue;
      EXPECT_LE(static_cast<double>(schedule(instance, spec).makespan()), guarantee) << spec;
    }
  }
}

/// What list scheduling needs at most, whatever the order: the work of every class per worker, and the longest path.
double list_bound(const Instance& instance, const Schedule& schedule) {
  Table<TaskId, ClassId> on(instance.graph.task_count());
  Table<ClassId, double> work(instance.platform.class_count(), 0.0);
  for (const Attempt& attempt : schedule.attempts) {
    const ClassId c = instance.platform.class_of(attempt.worker);
    on[attempt.task] = c;
    work[c] += static_cast<double>(attempt.end - attempt.start);
  }
  Table<TaskId, Time> path(on.size(), 0);
  Time longest = 0;
  for (const TaskId task : instance.graph.topological_order()) {
    for (const TaskId before : instance.graph.predecessors(task)) path[task] = std::max(path[task], path[before]);
    path[task] += instance.costs.actual(task, on[task]);
    longest = std::max(longest, path[task]);
  }
  auto bound = static_cast<double>(longest);
  for (const ClassId c : work.ids()) bound += work[c] / std::max(1U, instance.platform.worker_count(c));
  return bound;
}

TEST(LpAllocation, ItsListsNeedNoMoreThanWorkAndPathTogether) {
  Random random(62);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.max_tasks = 60, .min_classes = 2, .max_classes = 3});
    for (const char* spec : {"qhlp", "qhlp:list=est"}) {
      const Schedule made = schedule(instance, spec);
      EXPECT_LE(static_cast<double>(made.makespan()), list_bound(instance, made) * kTolerance) << spec;
    }
  }
}

Table<TaskId, ClassId> allocation(const Instance& instance, const std::string& spec) {
  Table<TaskId, ClassId> on(instance.graph.task_count());
  for (const Attempt& attempt : schedule(instance, spec).attempts) {
    on[attempt.task] = instance.platform.class_of(attempt.worker);
  }
  return on;
}

// Which optimum the linear program has is the solver's choice, so the allocation is taken from the schedule.
TEST(LpAllocation, ListsAreThoseOfThePlainReference) {
  Random random(65);
  for (int round = 0; round < rounds(500); ++round) {
    RandomShape shape{.max_tasks = 40, .min_classes = 2, .wrong_estimates = round % 4 == 1};
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    const Instance instance = random_instance(random, shape);
    for (const std::string name : {"hlp", "qhlp"}) {
      if (name == "hlp" && instance.platform.class_count() > 2) continue;
      const Table<TaskId, ClassId> on = allocation(instance, name);
      ASSERT_EQ(schedule(instance, name).attempts, reference_lists(instance, on, true)) << name << " round " << round;
      ASSERT_EQ(schedule(instance, name + ":list=est").attempts, reference_lists(instance, on, false))
          << name << " round " << round;
    }
  }
}

TEST(LpAllocation, BelievesTheEstimates) {
  Random random(63);
  for (int round = 0; round < rounds(200); ++round) {
    RandomShape shape{.min_classes = 2, .max_classes = 3};
    shape.wrong_estimates = true;
    const Instance truth = random_instance(random, shape);
    Instance believed = truth;
    believed.costs = truth.costs.as_estimated();
    EXPECT_EQ(allocation(truth, "qhlp"), allocation(believed, "qhlp"));
  }
}

TEST(LpAllocation, OnTwoClassesBothRoundAlike) {
  Random random(64);
  std::size_t different = 0;
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.min_classes = 2, .max_classes = 2});
    if (allocation(instance, "hlp") != allocation(instance, "qhlp")) ++different;
  }
  EXPECT_LT(different, 30U);  // where a share is exactly one half
}

}  // namespace
}  // namespace heddle::test::lp_allocation_test
