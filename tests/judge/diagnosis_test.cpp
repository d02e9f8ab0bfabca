#include "heddle/judge/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::judge {
namespace {

using analysis::Cause;

Diagnosis diagnosis_of(const Instance& instance, const Schedule& schedule) {
  const bounds::Bounds bounds = bounds::compute(instance, bounds::default_kinds(instance));
  return diagnose(instance, schedule, bounds.best());
}

TEST(Diagnosis, TheAreaBoundAndWhatLossesCostAreTheMakespan) {
  for (std::uint64_t round = 0; round < test::rounds(1000U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = round % 2 == 1;
    shape.max_duration = 1'000'000;
    const Instance instance = test::random_instance(random, shape);
    // Kernels that last longer, or less, than the instance says are part of it.
    const sim::Config config{.noise = sim::Noise(round % 3 == 0 ? "uniform:0.2" : "")};
    const Schedule schedule = sim::simulate(instance, policy::Spec(round % 5 == 0 ? "random" : "dmdas"), config);
    ASSERT_EQ(validate(instance, schedule, Durations::free), std::vector<std::string>());
    const analysis::Losses losses(instance, schedule);
    const LossCosts costs = loss_costs(instance, schedule);
    double sum = costs.area;
    for (const ClassId c : instance.platform.classes()) {
      sum += costs.unfavourable[c];
      for (const Cause cause : analysis::kLosses) sum += costs.of(losses, c, cause);
      EXPECT_TRUE(!config.noise.none() || costs.unfavourable[c] > -1) << "an unfavourable class costs";
    }
    const auto makespan = static_cast<double>(schedule.makespan());
    EXPECT_NEAR(sum, makespan, 1 + 1e-9 * makespan);
    EXPECT_LE(costs.area, static_cast<double>(bounds::area_bound(instance).value) * (1 + 1e-9) + 1);
  }
}

/// Two classes, the tasks of a chain each twice as fast on b.
Instance chain_of(std::size_t tasks) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("STEP");
  for (std::size_t t = 0; t < tasks; ++t) {
    builder.add_task("t" + std::to_string(t), type);
    if (t > 0) builder.add_edge(make_id<TaskId>(t - 1), make_id<TaskId>(t));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(0), 2 * kSecond);
  costs.set_actual(0, make_id<ClassId>(1), kSecond);
  Platform platform({{.name = "a", .workers = 1}, {.name = "b", .workers = 1}});
  return make_instance("chain", std::move(graph), std::move(platform), std::move(costs));
}

TEST(Diagnosis, SaysThatAnOptimalScheduleIsOne) {
  const Instance instance = chain_of(8);
  const Diagnosis diagnosis = diagnosis_of(instance, sim::simulate(instance, policy::Spec("heft")));
  EXPECT_EQ(diagnosis.verdict, "The makespan is optimal.");
}

TEST(Diagnosis, NamesTheDearestCause) {
  const Instance instance = chain_of(8);
  Schedule slow;
  for (std::size_t t = 0; t < 8; ++t) {
    const Time start = static_cast<Time>(2 * t) * kSecond;
    slow.attempts.push_back({make_id<TaskId>(t), make_id<WorkerId>(0), start, start + 2 * kSecond, Outcome::completed});
  }
  // b never has a ready task: each waits for the one before, which runs on a.
  const Diagnosis all_on_a = diagnosis_of(instance, slow);
  ASSERT_FALSE(all_on_a.causes.empty());
  EXPECT_EQ(all_on_a.causes.front().cause, Cause::no_ready_task);
  EXPECT_EQ(all_on_a.verdict,
            "The makespan is at most 100 % above optimal. 100 % of the loss is b workers without a ready task, waiting "
            "for STEP on the critical chain. No schedule avoids the first 25 % of it.");
  // b pauses for ten seconds although the next task is ready.
  Schedule paused;
  for (std::size_t t = 0; t < 8; ++t) {
    const Time start = static_cast<Time>(t + (t < 4 ? 0 : 10)) * kSecond;
    paused.attempts.push_back({make_id<TaskId>(t), make_id<WorkerId>(1), start, start + kSecond, Outcome::completed});
  }
  ASSERT_EQ(validate(instance, paused), std::vector<std::string>());
  const Diagnosis pause = diagnosis_of(instance, paused);
  EXPECT_EQ(pause.causes.front().cause, Cause::ready_not_run);
  EXPECT_TRUE(pause.verdict.find("workers idle although a task was ready that they could run") != std::string::npos)
      << pause.verdict;
}

TEST(Diagnosis, CountsHowManyTimesTheBoundALongRunTakes) {
  const Instance instance = chain_of(1);
  Schedule late;
  late.attempts = {{make_id<TaskId>(0), make_id<WorkerId>(1), 9 * kSecond, 10 * kSecond, Outcome::completed}};
  const std::string verdict = diagnosis_of(instance, late).verdict;
  EXPECT_TRUE(verdict.starts_with("The makespan is at most 10.0 times the shortest. ")) << verdict;
}

TEST(Diagnosis, TakesWhatHasNoTasks) {
  const Instance instance = chain_of(0);
  const Diagnosis diagnosis = diagnosis_of(instance, Schedule());
  EXPECT_TRUE(diagnosis.causes.empty());
  EXPECT_TRUE(diagnosis.chain.empty());
}

}  // namespace
}  // namespace heddle::judge
