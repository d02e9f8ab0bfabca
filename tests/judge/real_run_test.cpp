#include "heddle/judge/real_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heddle/io/instance_file.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/judge/changes.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::judge {
namespace real_run_test {
namespace {

const ClassId kCpu = make_id<ClassId>(0);
const ClassId kGpu = make_id<ClassId>(1);

/// The schedule, in which each attempt begins twice as late and takes as long, as in a run with overhead.
Schedule late(Schedule schedule) {
  for (Attempt& attempt : schedule.attempts) {
    const Time duration = attempt.end - attempt.start;
    attempt.start = 2 * attempt.start + 1;
    attempt.end = attempt.start + duration;
  }
  return schedule;
}

/// Five tasks of two types; T ran on both classes, U on the cpu alone.
Instance two_types() {
  return io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "types",
    "platform": {"classes": [{"name": "cpu", "workers": 1}, {"name": "gpu", "workers": 1}]},
    "types": [{"name": "T", "seconds": {"cpu": 2, "gpu": 4}}, {"name": "U", "seconds": {"cpu": 8, "gpu": 10}}],
    "tasks": [{"name": "a", "type": "T", "seconds": {"cpu": 1, "gpu": 4}},
              {"name": "b", "type": "T", "seconds": {"cpu": 3, "gpu": 4}},
              {"name": "c", "type": "T", "seconds": {"cpu": 2, "gpu": 5}},
              {"name": "d", "type": "T", "seconds": {"cpu": 2, "gpu": 3}},
              {"name": "e", "type": "U", "seconds": {"cpu": 8, "gpu": 10}}]})",
                           "types");
}
Schedule run_of_two_types() {
  Schedule schedule;
  const WorkerId cpu = make_id<WorkerId>(0);
  const WorkerId gpu = make_id<WorkerId>(1);
  const auto ran = [&](std::uint32_t task, WorkerId worker, Time start, Time end) {
    schedule.attempts.push_back({.task = make_id<TaskId>(task),
                                 .worker = worker,
                                 .start = start * kSecond,
                                 .end = end * kSecond,
                                 .outcome = Outcome::completed});
  };
  ran(0, cpu, 0, 1), ran(1, cpu, 1, 4), ran(4, cpu, 4, 12), ran(2, gpu, 0, 5), ran(3, gpu, 5, 8);
  return schedule;
}

TEST(DrawnDurations, AreThoseOfTheTypeOnTheClass) {
  const Instance model = two_types();
  const Schedule schedule = run_of_two_types();
  ASSERT_EQ(validate(model, schedule), std::vector<std::string>());
  std::set<Time> on_cpu;
  std::set<Time> on_gpu;
  std::set<Time> elsewhere;
  for (const Instance& drawn : with_drawn_durations(model, schedule, 50)) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      on_cpu.insert(drawn.costs.actual(make_id<TaskId>(i), kCpu));
      on_gpu.insert(drawn.costs.actual(make_id<TaskId>(i), kGpu));
    }
    EXPECT_EQ(drawn.costs.actual(make_id<TaskId>(4), kCpu), 8 * kSecond) << "it is the only one";
    elsewhere.insert(drawn.costs.actual(make_id<TaskId>(4), kGpu));
  }
  EXPECT_THAT(on_cpu, testing::ElementsAre(kSecond, 3 * kSecond));
  EXPECT_THAT(on_gpu, testing::ElementsAre(3 * kSecond, 5 * kSecond));
  // None of its type ran there: 10 s, times 3/4 or 5/4 as the others.
  EXPECT_THAT(elsewhere, testing::ElementsAre(kSecond * 15 / 2, kSecond * 25 / 2));
}

TEST(DrawnDurations, AreAlwaysTheSameAndChangeNoEstimate) {
  const Schedule schedule = run_of_two_types();
  const Instance model = with_overhead_of_run(two_types(), schedule);
  const std::vector<Instance> once = with_drawn_durations(model, schedule, 4);
  const std::vector<Instance> again = with_drawn_durations(model, schedule, 4);
  bool differ = false;
  for (std::size_t i = 0; i < once.size(); ++i) {
    for (const TaskId task : model.graph.tasks()) {
      for (const ClassId c : model.platform.classes()) {
        EXPECT_EQ(once[i].costs.actual(task, c), again[i].costs.actual(task, c));
        EXPECT_EQ(once[i].costs.estimate(task, c), model.costs.estimate(task, c));
        differ = differ || once[i].costs.actual(task, c) != once[0].costs.actual(task, c);
      }
    }
  }
  EXPECT_TRUE(differ) << "each draw is another one";
}

TEST(DrawnDurations, StayAsTheyAreWhereNothingRan) {
  const Instance model = two_types();
  const Instance drawn = with_drawn_durations(model, Schedule(), 1).front();
  for (const TaskId task : model.graph.tasks()) {
    EXPECT_TRUE(std::ranges::equal(drawn.costs.actual_row(task), model.costs.actual_row(task)));
  }
}

TEST(RealRun, PoliciesKnowTheMeanOfAType) {
  const Instance instance = two_types();
  const Schedule schedule = run_of_two_types();
  const Diagnosis diagnosis = diagnose(instance, schedule, std::nullopt, {.has_transfers = false});
  for (const Instance& model :
       {with_overhead_of_run(instance, schedule), with_overhead_of_recording(instance, schedule, diagnosis.losses)}) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(model.costs.estimate(make_id<TaskId>(i), kCpu), 2 * kSecond);
      EXPECT_EQ(model.costs.estimate(make_id<TaskId>(i), kGpu), 4 * kSecond);
    }
    EXPECT_EQ(model.costs.actual(make_id<TaskId>(1), kCpu), 3 * kSecond);
  }
}

/// The first worker of a class has the durations that the instance says, and the others keep theirs.
TEST(RealRun, AClassWithoutWorkersMayGetOne) {
  const Instance instance = io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "no gpu",
    "platform": {"classes": [{"name": "cpu", "workers": 1}, {"name": "gpu", "workers": 0}]},
    "types": [{"name": "T", "seconds": {"cpu": 4, "gpu": 1}}],
    "tasks": [{"name": "a", "type": "T"}, {"name": "b", "type": "T"}]})",
                                              "no gpu");
  Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
  for (Attempt& attempt : schedule.attempts) ++attempt.start, ++attempt.end;
  const WhatIf found = changes_of(instance, schedule);
  const auto change = std::ranges::find(found.changes, "one more gpu", &Change::what);
  ASSERT_NE(change, found.changes.end());
  EXPECT_EQ(change->makespan, 4 * kSecond) << "b on the cpu, a on the gpu, with its overhead";
}

TEST(RealRun, NoPolicyIsPromisedAnythingWithHalfOfItsDraws) {
  const Instance instance = two_types();
  const Schedule schedule = late(run_of_two_types());
  // The replay has five attempts, and nine draws of the first policy 45.
  const auto policies = [&](std::uint64_t attempts) {
    const WhatIf found = changes_of(instance, schedule, {}, {.attempts = attempts});
    return std::ranges::count_if(found.changes, [](const Change& one) { return one.what.starts_with("policy "); });
  };
  EXPECT_EQ(policies(30), 0);
  EXPECT_EQ(policies(50), 1);
}

/// What a policy is promised to take is the median over nine draws, or over fewer where tasks are many; and the
/// decisions of the run are replayed with the durations that it had.
TEST(RealRun, PoliciesAreSimulatedOnDrawnDurations) {
  bool differ = false;
  std::size_t fewest = 9;
  for (std::uint64_t round = 0; round < std::max(8U, test::rounds(20U)); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.max_duration = kMillisecond;
    if (round == 7) shape.max_tasks = 3000;
    const Instance instance = test::random_instance(random, shape);
    const Schedule schedule = late(sim::simulate(instance, policy::Spec("eager")));
    if (!really_happened(schedule)) continue;
    const analysis::Recording recording{.has_transfers = round < 2};
    const Diagnosis diagnosis = diagnose(instance, schedule, std::nullopt, recording);
    const WhatIf found = changes_of(instance, schedule, recording);
    EXPECT_EQ(found.simulated, schedule.makespan());
    const Instance model = recording.has_transfers ? with_overhead_of_run(instance, schedule)
                                                   : with_overhead_of_recording(instance, schedule, diagnosis.losses);
    const std::size_t draws = std::min<std::size_t>(9, 5000 / instance.graph.task_count() | 1);
    fewest = std::min(fewest, draws);
    const std::vector<Instance> drawn = with_drawn_durations(model, schedule, draws);
    for (const char* name : {"heft", "dmdas", "ect"}) {
      std::vector<Time> makespans;
      for (const Instance& one : drawn) makespans.push_back(sim::simulate(one, policy::Spec(name)).makespan());
      std::ranges::sort(makespans);
      const auto change = std::ranges::find(found.changes, std::string("policy ") + name, &Change::what);
      ASSERT_NE(change, found.changes.end()) << name;
      EXPECT_EQ(change->makespan, makespans[draws / 2]) << name;
      differ = differ || makespans[draws / 2] != sim::simulate(model, policy::Spec(name)).makespan();
    }
  }
  EXPECT_TRUE(differ) << "it matters";
  EXPECT_LE(fewest, 4U);
}

}  // namespace
}  // namespace real_run_test
}  // namespace heddle::judge
