#include "heddle/policy/kit/ranks/urgency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using policy::Priority;

Table<TaskId, std::int64_t> due(const Instance& instance) {
  return policy::priorities(policy::HostView(instance), Priority::due);
}

/// `independent` tasks, then a chain of `links`, all of one type.
Instance independent_then_chain(std::size_t independent, std::size_t links, Time duration, std::uint32_t workers) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("task");
  for (std::size_t i = 0; i < independent + links; ++i) {
    builder.add_task(std::to_string(i), type);
    if (i > independent) builder.add_edge(make_id<TaskId>(i - 1), make_id<TaskId>(i));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(0, make_id<ClassId>(0), duration);
  return make_instance("chain", std::move(graph), Platform({{.name = "cpu", .workers = workers}}), std::move(costs));
}

TEST(Urgency, DueIsInTheOrderOfSubmissionAsFarAsTheChainAllows) {
  // Two workers do 20 tasks of length 10 in 100, and the chain's last is due 5 before the end of what is submitted.
  const auto urgency = due(independent_then_chain(20, 3, 10, 2));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(urgency[make_id<TaskId>(i)], -5 * static_cast<std::int64_t>(i));
  EXPECT_EQ(urgency[TaskId{22}], -110);
  EXPECT_EQ(urgency[TaskId{21}], -90) << "twice its duration before";
  EXPECT_EQ(urgency[TaskId{20}], -70);
}

TEST(Urgency, WhatIsDueBeforeTheBeginningIsStillInOrder) {
  const auto urgency = due(independent_then_chain(1, 10, 10, 4));
  EXPECT_EQ(urgency[TaskId{0}], 0);
  EXPECT_EQ(urgency[TaskId{10}], -25);
  EXPECT_EQ(urgency[TaskId{1}], -25 + 9 * 20);
}

/// The largest numbers that meet the definition, found without an order of the tasks.
TEST(Urgency, DueDatesAreThoseOfTheDefinition) {
  Random random(83);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = round % 2 == 1});
    const auto least = [&](TaskId task) { return std::ranges::min(instance.costs.estimate_row(task)); };
    Table<TaskId, std::int64_t> date(instance.graph.task_count());
    std::int64_t before = 0;
    for (const TaskId task : instance.graph.tasks()) {
      date[task] = before / static_cast<std::int64_t>(instance.platform.worker_count());
      before += least(task);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const TaskId task : instance.graph.tasks()) {
        for (const TaskId before_it : instance.graph.predecessors(task)) {
          const std::int64_t latest = date[task] - 2 * least(before_it);
          changed = changed || latest < date[before_it];
          date[before_it] = std::min(date[before_it], latest);
        }
      }
    }
    const auto urgency = due(instance);
    for (const TaskId task : instance.graph.tasks()) ASSERT_EQ(urgency[task], -date[task]);
  }
}

/// A runtime that has seen a kernel on small data only may guess that each of its tasks takes an hour.
TEST(Urgency, DueDatesOfAnyDurationsDoNotOverflow) {
  Instance instance = independent_then_chain(3, 40, 10, 1);
  instance.costs.set_actual(0, make_id<ClassId>(0), kMaxTime / 8);
  const auto urgency = due(instance);
  for (std::size_t i = 4; i < 43; ++i) EXPECT_GE(urgency[make_id<TaskId>(i - 1)], urgency[make_id<TaskId>(i)]);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(urgency[make_id<TaskId>(i)], 0);
}

/// A Cholesky factorization of 20 x 20 tiles on two CPUs, with what kernels take for tiles of 192, in microseconds.
Instance cholesky() {
  using workload::Algorithm;
  constexpr std::array<Time, 4> kDurations{77, 155, 160, 253};  // potrf, trsm, syrk, gemm
  TaskGraph graph = workload::tiled_graph(Algorithm::cholesky, workload::TileCounts::square(20), 1);
  Costs costs(graph, 2);
  for (const TypeId type : graph.types()) {
    costs.set_actual(Costs::row(type), make_id<ClassId>(0), kDurations.at(index(type)));
  }
  Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 0}});
  return make_instance("cholesky", std::move(graph), std::move(platform), std::move(costs));
}

// Against a comparison of both, pair by pair.
TEST(Urgency, HintsComeFirstAndThenBottomLevels) {
  Random random(11);
  for (int round = 0; round < rounds(200); ++round) {
    const Instance drawn = random_instance(random);
    TaskGraphBuilder builder;
    for (const TypeId type : drawn.graph.types()) builder.add_type(std::string(drawn.graph.type_name(type)));
    for (const TaskId task : drawn.graph.tasks()) {
      builder.add_task(std::to_string(index(task)), drawn.graph.type(task), {}, draw(random, -1, 1));
      for (const TaskId before : drawn.graph.predecessors(task)) builder.add_edge(before, task);
    }
    TaskGraph graph = builder.build();
    Costs costs(graph, drawn.platform.class_count(),
                [](TypeId type, ClassId c) { return static_cast<Time>(1 + index(type) + index(c)); });
    const Instance instance = make_instance("hints", std::move(graph), drawn.platform, std::move(costs));
    const policy::HostView view(instance);
    const auto both = policy::priorities(view, Priority::hint_first);
    const auto hints = policy::priorities(view, Priority::hint);
    const auto levels = policy::priorities(view, Priority::bottom_level);
    for (const TaskId a : instance.graph.tasks()) {
      for (const TaskId b : instance.graph.tasks()) {
        const bool before = hints[a] != hints[b] ? hints[a] < hints[b] : levels[a] < levels[b];
        ASSERT_EQ(both[a] < both[b], before);
      }
    }
  }
}

/// How far a task's place among the starts is from its place in the program, on average.
double departure(const Schedule& schedule) {
  std::vector<Attempt> attempts = schedule.attempts;
  std::ranges::sort(attempts, {}, &Attempt::start);
  double sum = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    sum += std::abs(static_cast<double>(i) - static_cast<double>(index(attempts[i].task)));
  }
  return sum / static_cast<double>(attempts.size());
}

/// What it is for: by bottom levels a factorization runs ahead in as many places as there are columns, by number a
/// worker waits at the end of every step.
TEST(Urgency, ByDueDatesAFactorizationKeepsToTheProgramAndWaitsForNothing) {
  const Instance instance = cholesky();
  const auto run = [&](const std::string& policy) {
    Schedule schedule = sim::simulate(instance, policy::Spec(policy));
    EXPECT_EQ(validate(instance, schedule, Durations::exact), std::vector<std::string>());
    return schedule;
  };
  for (const std::string policy : {"heteroprio-dep", "prio"}) {
    const Schedule by_date = run(policy + ":priority=due");
    const Schedule by_level = run(policy);
    EXPECT_LE(by_date.makespan(), by_level.makespan());
    EXPECT_LT(departure(by_date), 1);
    EXPECT_GT(departure(by_level), 100);
  }
  const Schedule by_number = run("prio:priority=hint");  // there are no hints
  EXPECT_LT(departure(by_number), 1);
  EXPECT_LT(run("prio:priority=due").makespan(), by_number.makespan());
}

}  // namespace
}  // namespace heddle::test
