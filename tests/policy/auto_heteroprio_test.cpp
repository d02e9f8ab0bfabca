#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/kit/learning/execution_record.hpp"
#include "heddle/policy/kit/ranks/priority_heuristics.hpp"
#include "heddle/policy/kit/ranks/released_work.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_buckets.hpp"
#include "tests/support/reference_heteroprio_starpu.hpp"
#include "tests/support/reference_la_heteroprio.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using policy::BucketId;
using policy::BucketMetrics;
using policy::Heuristic;
using policy::priority_score;
using policy::Reading;

/// A task as "A<1,2": its type, after its predecessors by number from 1.
struct Node {
  char type;
  std::vector<std::size_t> after;
};

/// Tasks of the types A, B, C, ... with durations by type and class.
Instance typed_instance(const std::vector<Node>& nodes, std::vector<ResourceClass> classes,
                        const std::vector<std::vector<Time>>& durations) {
  TaskGraphBuilder builder;
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    types.push_back(builder.add_type(std::string(1, static_cast<char>('A' + i))));
  }
  for (const Node& node : nodes) {
    const TaskId task = builder.add_task(std::string(1, node.type) + std::to_string(builder.task_count() + 1),
                                         types[static_cast<std::size_t>(node.type - 'A')]);
    for (const std::size_t before : node.after) builder.add_edge(make_id<TaskId>(before - 1), task);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, classes.size());
  for (const TypeId type : graph.types()) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      costs.set_actual(Costs::row(type), make_id<ClassId>(c), durations[index(type)][c]);
    }
  }
  return make_instance("typed", std::move(graph), Platform(std::move(classes)), std::move(costs));
}

Time makespan(const Instance& instance, const std::string& policy) {
  return sim::simulate(instance, policy::Spec(policy)).makespan();
}

TEST(BucketMetrics, Table1OfThePaper) {
  const BucketMetrics a_on_cpu{.own = 100, .other = 130};
  const BucketMetrics b_on_cpu{.own = 1, .other = 10};
  EXPECT_DOUBLE_EQ(a_on_cpu.relative_difference(), 1.3);
  EXPECT_DOUBLE_EQ(b_on_cpu.relative_difference(), 10);
  EXPECT_EQ(a_on_cpu.difference(), 30);
  EXPECT_EQ(b_on_cpu.difference(), 9);
}

TEST(AutoHeteroprio, Table1DecidesWhatACpuServesFirst) {
  // The class listed last is served first: here the CPU.
  const Instance instance = typed_instance({{'A', {}}, {'B', {}}}, {{"gpu", 1}, {"cpu", 1}}, {{130, 100}, {10, 1}});
  EXPECT_EQ(makespan(instance, "auto-heteroprio:slowdown=false,heuristic=difference"), 100);
  EXPECT_EQ(makespan(instance, "auto-heteroprio:slowdown=false,heuristic=relative-difference"), 130);
}

constexpr BucketMetrics kMetrics{.own = 2, .other = 3, .nod = 0.5, .urt = 0.25, .successors = 4};

double score(Heuristic heuristic, Reading reading = Reading::formula, BucketMetrics metrics = kMetrics) {
  return priority_score(heuristic, metrics, reading);
}

TEST(PriorityScore, IsTheFormula) {
  EXPECT_DOUBLE_EQ(score(Heuristic::prws), 0.5 / 2 * 4 + 1);
  EXPECT_DOUBLE_EQ(score(Heuristic::purws), 0.25 / 2 * 4 + 1);
  EXPECT_DOUBLE_EQ(score(Heuristic::offset), (0.25 + 1.3) * (1 + 1.0));
  EXPECT_NEAR(score(Heuristic::softplus), 1.25 * std::log(1 + std::exp(1)), 1e-12);
  EXPECT_NEAR(score(Heuristic::ntc), 1 + 0.3 * 0.5 * std::exp(-0.5 * 1.5 * 1.5), 1e-12);
  const double weight = std::sqrt(0.25) * std::sqrt(1.75);
  EXPECT_NEAR(score(Heuristic::interpolation), weight * 1.25 * 2 - (1 - weight) * std::log(1 + std::exp(-1)), 1e-12);
}

TEST(PriorityScore, ReadsProseAndSoftwareWhereTheFormulaDiffers) {
  for (const Reading reading : {Reading::prose, Reading::software}) {
    EXPECT_DOUBLE_EQ(score(Heuristic::prws, reading), 0.5 / 2 * (4 + 1));
    EXPECT_DOUBLE_EQ(score(Heuristic::purws, reading), 0.25 / 2 * (4 + 1));
  }
  EXPECT_NEAR(score(Heuristic::ntc, Reading::software), 1 + 0.3 * 0.5 * std::exp(-0.5 * 0.5 * 0.5), 1e-12);
  EXPECT_DOUBLE_EQ(score(Heuristic::interpolation, Reading::software), score(Heuristic::interpolation));
}

TEST(PriorityScore, InterpolationAtItsEnds) {
  BucketMetrics starved = kMetrics;
  starved.urt = 0;
  BucketMetrics useful = kMetrics;
  useful.urt = 1;
  const policy::Hyperparameters ones{.offset_alpha = 1, .offset_beta = 1};
  // Prose: the offset model at URT = 0, softplus without its factor from URT = 1 on. As printed, the ends are swapped.
  EXPECT_DOUBLE_EQ(score(Heuristic::interpolation, Reading::prose, starved),
                   priority_score(Heuristic::offset, starved, Reading::prose, ones));
  EXPECT_DOUBLE_EQ(score(Heuristic::interpolation, Reading::prose, useful),
                   score(Heuristic::softplus, Reading::prose, useful) / 2);
  EXPECT_DOUBLE_EQ(score(Heuristic::interpolation, Reading::formula, useful),
                   priority_score(Heuristic::offset, useful, Reading::formula, ones));
}

TEST(PriorityScore, SoftplusTakesAnyDifference) {
  BucketMetrics metrics{.own = 1, .other = 1e15};
  EXPECT_DOUBLE_EQ(score(Heuristic::softplus, Reading::formula, metrics), 1e15 - 1);
  std::swap(metrics.own, metrics.other);
  EXPECT_EQ(score(Heuristic::softplus, Reading::formula, metrics), 0);
}

TEST(ReleasedWork, AveragesOverTheTasksOfATypeWhatEachReleases) {
  // A1 -> B3, A1 -> B4, A2 -> B4: A1 releases 1 + 1/2, A2 releases 1/2.
  const Instance instance =
      typed_instance({{'A', {}}, {'A', {}}, {'B', {1}}, {'B', {1, 2}}}, {{"cpu", 1}}, {{10}, {20}});
  const policy::TaskBuckets buckets(instance);
  const policy::ReleasedWork released(instance, buckets);
  const BucketId a = buckets.bucket(instance, TaskId{0});
  const BucketId b = buckets.bucket(instance, TaskId{3});
  EXPECT_DOUBLE_EQ(released.normalized_out_degree(a), (1.5 + 0.5) / 2);
  EXPECT_EQ(released.normalized_out_degree(b), 0);
  ASSERT_EQ(released.shares(a).size(), 1);
  EXPECT_EQ(released.shares(a)[0].bucket, b);
  EXPECT_DOUBLE_EQ(released.shares(a)[0].count, 1.5);
  EXPECT_TRUE(released.shares(b).empty());
}

TEST(BucketMetrics, OfWhatATaskReleases) {
  // A1 releases B2 alone and half of B4, A3 the other half. B takes 8 on the CPU, where a quarter of its tasks run, and
  // 2 on the GPU. The CPU is idle half of the time, the GPU a fifth of it.
  const Instance instance =
      typed_instance({{'A', {}}, {'B', {1}}, {'A', {}}, {'B', {1, 3}}}, {{"cpu", 1}, {"gpu", 1}}, {{3, 5}, {8, 2}});
  const policy::TaskBuckets buckets(instance);
  const policy::ReleasedWork released(instance, buckets);
  const BucketId a{0};
  policy::RunKnowledge known{.durations = {}, .proportions = {}, .idle = {0.5, 0.2}};
  for (const auto& row : {std::vector<double>{3, 5}, std::vector<double>{8, 2}}) known.durations.push_back(row);
  for (const auto& row : {std::vector<double>{1, 0}, std::vector<double>{0.25, 0.75}}) known.proportions.push_back(row);
  const std::vector<BucketMetrics> metrics = bucket_metrics(buckets, released, known, a);
  EXPECT_EQ(metrics[0].own, 3);
  EXPECT_EQ(metrics[0].other, 5);
  EXPECT_EQ(metrics[1].difference(), -2);
  EXPECT_DOUBLE_EQ(metrics[0].nod, 1);  // (1 + 1/2 + 1/2) / 2 tasks
  EXPECT_DOUBLE_EQ(metrics[0].successors, 1.5 * 2);
  const double nrt_cpu = 1 * 0.25 * 8;
  const double nrt_gpu = 1 * 0.75 * 2;
  EXPECT_DOUBLE_EQ(metrics[0].urt, nrt_cpu * 0.5 + nrt_gpu * 0.2);
  EXPECT_EQ(metrics[1].urt, metrics[0].urt);
}

TEST(BucketMetrics, CostsAreNormalizedByTheMeanTaskOnItsBestClass) {
  // Three As of at best 2 and one B of at best 6: the mean is 3.
  const Instance instance =
      typed_instance({{'A', {}}, {'A', {}}, {'A', {}}, {'B', {}}}, {{"cpu", 1}, {"gpu", 1}}, {{2, 9}, {12, 6}});
  Table<BucketId, std::vector<double>> durations;
  for (const auto& row : {std::vector<double>{2, 9}, std::vector<double>{12, 6}}) durations.push_back(row);
  policy::normalize(policy::TaskBuckets(instance), durations);
  EXPECT_DOUBLE_EQ(durations[BucketId{0}][0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(durations[BucketId{0}][1], 3);
  EXPECT_DOUBLE_EQ(durations[BucketId{1}][0], 4);
}

TEST(BucketMetrics, TheOtherClassIsTheSlowestOfSeveral) {
  const Instance instance =
      typed_instance({{'A', {}}}, {{"cpu", 1}, {"old-gpu", 1}, {"gpu", 1}}, {{10, 4, kCannotRun}});
  const policy::TaskBuckets buckets(instance);
  policy::RunKnowledge known{.durations = {}, .proportions = {}, .idle = {0, 0, 0}};
  known.durations.push_back({10, 4, 99});
  known.proportions.push_back({0, 0, 0});
  const auto metrics = bucket_metrics(buckets, policy::ReleasedWork(instance, buckets), known, BucketId{0});
  EXPECT_EQ(metrics[0].other, 4);
  EXPECT_EQ(metrics[1].other, 10);
}

TEST(TaskBuckets, HoldTasksOfOneTypeThatTheSameClassesCanRun) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("A");
  for (const char* name : {"x", "y", "z"}) builder.add_task(name, type);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  const std::vector<std::vector<Time>> durations = {{10, 4}, {20, kCannotRun}, {30, 6}};
  for (const TaskId task : graph.tasks()) {
    const std::uint32_t row = costs.own_row(task);
    for (std::size_t c = 0; c < 2; ++c) costs.set_actual(row, make_id<ClassId>(c), durations[index(task)][c]);
  }
  const Instance instance = make_instance("", std::move(graph), Platform({{"cpu", 1}, {"gpu", 1}}), std::move(costs));
  const policy::TaskBuckets buckets(instance);
  ASSERT_EQ(buckets.count(), 2);
  const BucketId both = buckets.bucket(instance, TaskId{0});
  EXPECT_EQ(buckets.bucket(instance, TaskId{2}), both);
  EXPECT_EQ(buckets.task_count(both), 2);
  EXPECT_EQ(buckets.mean(both, ClassId{0}), 20);
  EXPECT_EQ(buckets.mean(both, ClassId{1}), 5);
  EXPECT_FALSE(buckets.can_run(buckets.bucket(instance, TaskId{1}), ClassId{1}));
}

TEST(ExecutionRecord, MeasuresWhereTasksRanAndHowIdleClassesWere) {
  const Instance instance =
      typed_instance({{'A', {}}, {'A', {}}, {'B', {}}}, {{"cpu", 2}, {"gpu", 1}}, {{9, 9}, {9, 9}});
  const policy::TaskBuckets buckets(instance);
  policy::HostView view(instance);
  policy::ExecutionRecord record;
  record.start(view, buckets.count());
  const BucketId a{0};
  constexpr ClassId kCpu{0};
  constexpr ClassId kGpu{1};
  EXPECT_EQ(record.idle_proportion(view, kCpu), 1);
  EXPECT_EQ(record.proportion(a, kCpu), 0);
  record.started(view, WorkerId{0});
  record.started(view, WorkerId{2});
  view.set_now(10);
  // One of two cores has worked all the time, the GPU too, until its task is aborted: then it was idle all along.
  EXPECT_DOUBLE_EQ(record.idle_proportion(view, kCpu), 0.5);
  EXPECT_DOUBLE_EQ(record.idle_proportion(view, kGpu), 0);
  record.aborted(view, WorkerId{2});
  EXPECT_DOUBLE_EQ(record.idle_proportion(view, kGpu), 1);
  record.finished(view, buckets, std::vector<policy::Completion>{{TaskId{0}, WorkerId{0}}});
  record.started(view, WorkerId{2});
  view.set_now(40);
  record.finished(view, buckets, std::vector<policy::Completion>{{TaskId{1}, WorkerId{2}}});
  EXPECT_DOUBLE_EQ(record.idle_proportion(view, kCpu), 1 - 10.0 / 80);
  EXPECT_DOUBLE_EQ(record.proportion(a, kCpu), 0.5);
  EXPECT_EQ(record.mean(a, kCpu), 10);
  EXPECT_EQ(record.mean(a, kGpu), 30);
}

/// A core's task ends, another one and the GPU's go on when the second run begins, in which the types have other
/// numbers.
TEST(ExecutionRecord, GoesOnInTheNextRun) {
  const Instance whole = typed_instance({{'A', {}}, {'A', {}}, {'B', {}}}, {{"cpu", 2}, {"gpu", 1}}, {{9, 9}, {9, 9}});
  const Instance rest = typed_instance({{'B', {}}, {'A', {}}}, {{"cpu", 2}, {"gpu", 1}}, {{9, 9}, {9, 9}});
  const policy::TaskBuckets buckets(whole);
  const policy::TaskBuckets buckets_left(rest);
  policy::HostView view(whole);
  policy::HostView view_left(rest);
  policy::ExecutionRecord one;
  one.start(view, buckets.count());
  for (const std::size_t worker : {0, 1, 2}) one.started(view, make_id<WorkerId>(worker));
  view.set_now(10);
  one.finished(view, buckets, std::vector<policy::Completion>{{TaskId{0}, WorkerId{0}}});
  view_left.set_now(10);
  view_left.begin(WorkerId{1}, TaskId{1}, 3);
  view_left.begin(WorkerId{2}, TaskId{0}, 3);
  policy::ExecutionRecord two;
  two.start(view_left, buckets_left.count());
  Table<BucketId, BucketId> earlier(2, BucketId{0});
  earlier[BucketId{0}] = BucketId{1};
  two.recall(view_left, one, earlier);
  const auto expect_same = [&] {
    for (const ClassId c : whole.platform.classes()) {
      EXPECT_EQ(two.idle_proportion(view_left, c), one.idle_proportion(view, c));
      for (const std::size_t bucket : {0, 1}) {
        const BucketId here = make_id<BucketId>(1 - bucket);
        const BucketId there = make_id<BucketId>(bucket);
        EXPECT_EQ(two.proportion(here, c), one.proportion(there, c));
        ASSERT_EQ(two.executions(here, c), one.executions(there, c));
        if (two.executions(here, c) == 0) continue;
        EXPECT_EQ(two.mean(here, c), one.mean(there, c));
      }
    }
  };
  expect_same();
  two.started(view_left, WorkerId{1});
  two.started(view_left, WorkerId{2});
  view.set_now(30);
  view_left.set_now(30);
  expect_same();
  one.finished(view, buckets, std::vector<policy::Completion>{{TaskId{1}, WorkerId{1}}, {TaskId{2}, WorkerId{2}}});
  two.finished(view_left, buckets_left,
               std::vector<policy::Completion>{{TaskId{1}, WorkerId{1}}, {TaskId{0}, WorkerId{2}}});
  expect_same();
  one.started(view, WorkerId{1});
  two.started(view_left, WorkerId{1});
  view.set_now(35);
  view_left.set_now(35);
  expect_same();
  EXPECT_EQ(two.mean(BucketId{1}, ClassId{0}), 20) << "the mean of 10 and 30";
}

/// Runs the task alone, on the given one of two workers, and ends it as late as it is measured to.
void run_alone(policy::Policy& policy, policy::HostView& view, TaskId task, WorkerId worker, Time duration) {
  const WorkerId other = make_id<WorkerId>(1 - index(worker));
  view.mark_idle(other, false);
  policy.ready(view, std::span(&task, 1));
  ASSERT_EQ(policy.next(view), policy::run(task, worker));
  view.begin(worker, task, duration);
  policy.started(view, task, worker);
  view.set_now(view.now() + duration);
  view.end(worker);
  view.mark_idle(other, true);
  policy.finished(view, std::vector{policy::Completion{task, worker}});
}

// Table 1 again: what the first run has measured decides what the CPU serves first in the second one.
TEST(AutoHeteroprio, GoesOnWithWhatItMeasuredInTheRunBefore) {
  const std::vector<ResourceClass> classes{{"gpu", 1}, {"cpu", 1}};
  const std::vector<std::vector<Time>> durations{{130, 100}, {10, 1}};
  const policy::Spec spec("auto-heteroprio:slowdown=false,heuristic=relative-difference,costs=measured");
  const Instance first = typed_instance({{'A', {}}, {'A', {}}, {'B', {}}, {'B', {}}}, classes, durations);
  policy::HostView view(first);
  policy::Policy before = spec.make(1);
  before.start(view);
  run_alone(before, view, TaskId{0}, WorkerId{0}, 130);
  run_alone(before, view, TaskId{1}, WorkerId{1}, 100);
  run_alone(before, view, TaskId{2}, WorkerId{0}, 10);
  run_alone(before, view, TaskId{3}, WorkerId{1}, 1);

  const Instance second = typed_instance({{'A', {}}, {'B', {}}}, classes, durations);
  const auto served_first = [&](bool recalls) {
    policy::HostView later(second);
    later.set_now(view.now());
    policy::Policy policy = spec.make(1);
    if (recalls) {
      EXPECT_TRUE(policy.recall(before));
    }
    policy.start(later);
    policy.ready(later, std::vector{TaskId{0}, TaskId{1}});
    const policy::Action action = policy.next(later);
    EXPECT_EQ(action.worker, WorkerId{1});
    return second.graph.name(action.task).front();
  };
  EXPECT_EQ(served_first(false), 'A');
  EXPECT_EQ(served_first(true), 'B');
}

/// The appendix of the paper: Table 5's durations in seconds, Table 6's priorities, CPU-1, GPU-1 and CPU-2 served in
/// this order. The graph of figure 14 is not in the text. This is the smallest that fits all that is said of it: A1
/// comes first, C2 has three successors, the makespans are 7, 5 and 5, and in case 3 CPU-2 and GPU-1 are free at 4.
class PaperExample : public testing::Test {
 protected:
  /// Two classes of one core, so that the service order, the class listed last first, becomes the paper's.
  const Instance instance_ = typed_instance(
      {{'A', {}}, {'C', {1}}, {'A', {1}}, {'A', {1}}, {'B', {2, 4}}, {'B', {2}}, {'B', {1}}, {'B', {6}}, {'B', {2}}},
      {{"cpu-two", 1}, {"gpu", 1}, {"cpu-one", 1}}, {{1, 2, 1}, {2, 1, 2}, {1, 1, 1}});

  [[nodiscard]] Schedule run(const std::string& cpu, const std::string& gpu) const {
    return sim::simulate(instance_, policy::Spec("la-heteroprio:slowdown=false,lists=cpu-one:" + cpu + "/gpu:" + gpu +
                                                 "/cpu-two:" + cpu));
  }
  [[nodiscard]] Time last_end(const Schedule& schedule, const std::string& worker) const {
    Time end = 0;
    for (const Attempt& attempt : schedule.attempts) {
      if (instance_.platform.worker_name(attempt.worker) == worker + "0") end = std::max(end, attempt.end);
    }
    return end;
  }
};

TEST_F(PaperExample, TakesSevenFiveAndFiveSeconds) {
  EXPECT_EQ(run("B+C+A", "A+C+B").makespan(), 7);
  const Schedule second = run("A+C+B", "B+C+A");
  EXPECT_EQ(second.makespan(), 5);
  EXPECT_EQ(last_end(second, "cpu-two"), 5);
  EXPECT_EQ(last_end(second, "gpu"), 5);
  const Schedule third = run("C+A+B", "B+C+A");
  EXPECT_EQ(third.makespan(), 5);
  EXPECT_EQ(last_end(third, "cpu-two"), 4);
  EXPECT_EQ(last_end(third, "gpu"), 4);
}

TEST_F(PaperExample, ListsByHandMustFitTheInstance) {
  const auto refusal = [&](const std::string& lists) -> std::string {
    try {
      makespan(instance_, "la-heteroprio:lists=" + lists);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("gpu:A+B+C"), "");
  EXPECT_NE(refusal("gpu:A+B").find("leaves out tasks of type 'C'"), std::string::npos);
  EXPECT_NE(refusal("gpu:A+B+D").find("names type 'D', which the instance does not have; possible: A, B, C"),
            std::string::npos);
  EXPECT_NE(refusal("gpu:A+B+C+A").find("names type 'A' twice"), std::string::npos);
  EXPECT_NE(refusal("cuda:A+B+C").find("names class 'cuda', which the platform does not have"), std::string::npos);
  EXPECT_NE(refusal("gpu:A+B/gpu:C").find("names class 'gpu' twice"), std::string::npos);
  EXPECT_NE(refusal("A+B+C").find("CLASS:TYPE"), std::string::npos);
}

// A GPU gains 6 with an A, which takes it 4, and 7 with a B, which takes it 23. In the run that it looks ahead at, both
// workers are always busy, so that the GPU's own time counts by the part of the type that ran there: the score of A is
// at least 6 - 4, that of B, of which a quarter or more ran there, at most 7 - 23 / 4.
TEST(HeteroprioStarpu, ABusyClassPrefersWhatTakesItLittleTime) {
  std::vector<Node> nodes;
  for (int i = 0; i < 60; ++i) nodes.push_back({i % 2 == 0 ? 'A' : 'B', {}});
  const Instance instance = typed_instance(nodes, {{"cpu", 1}, {"gpu", 1}}, {{10, 4}, {30, 23}});
  const auto types_on_gpu = [&](const char* spec) {
    const Schedule schedule = sim::simulate(instance, policy::Spec(spec));
    EXPECT_TRUE(validate(instance, schedule).empty());
    std::string types;
    for (const Attempt& attempt : schedule.attempts) {
      if (attempt.worker == WorkerId{1}) types += instance.graph.name(attempt.task).front();
    }
    return types;
  };
  const std::string first_run = types_on_gpu("heteroprio-starpu:runs=0");
  EXPECT_GE(std::ranges::count(first_run, 'A'), 16) << "so often that it is known";
  EXPECT_GE(std::ranges::count(first_run, 'B'), 16);
  EXPECT_EQ(types_on_gpu("heteroprio-starpu:runs=1").substr(0, 2), "AA");
}

TEST(HeteroprioStarpu, GivesTheSchedulesOfThePlainReference) {
  Random random(84);
  for (int round = 0; round < rounds(300); ++round) {
    RandomShape shape{.max_tasks = 100, .wrong_estimates = round % 4 == 1};
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    const Instance instance = random_instance(random, shape);
    for (const std::uint64_t runs : {0, 1, 3}) {
      if (runs > 0 && round % 4 == 1) continue;  // the plain one practises on what happens, not on estimates
      const policy::Spec spec("heteroprio-starpu:runs=" + std::to_string(runs));
      sim::Simulation plain(instance, reference_heteroprio_starpu(runs));
      while (plain.step()) {
      }
      const Schedule schedule = sim::simulate(instance, spec);
      ASSERT_TRUE(validate(instance, schedule).empty());
      ASSERT_EQ(schedule.attempts, plain.attempts()) << spec.text() << " round " << round;
    }
  }
}

TEST(LaHeteroprio, SlowClassesLeaveTheLastTasksToTheFastest) {
  // B is 3 times slower on the CPU, which is free at 5: it takes a B only while 3 of them wait for the only GPU.
  const auto makespan_of = [](std::size_t tasks, const char* slowdown) {
    std::vector<Node> nodes{{'A', {}}};
    for (std::size_t i = 0; i < tasks; ++i) nodes.push_back({'B', {}});
    const Instance instance = typed_instance(nodes, {{"cpu", 1}, {"gpu", 1}}, {{5, 10}, {30, 10}});
    return makespan(instance, std::string("la-heteroprio:slowdown=") + slowdown);
  };
  EXPECT_EQ(makespan_of(3, "true"), 30);
  EXPECT_EQ(makespan_of(3, "false"), 35);
  EXPECT_EQ(makespan_of(4, "true"), 35);
  EXPECT_EQ(makespan_of(4, "false"), 35);
}

TEST(LaHeteroprio, SlowdownsByHandHoldInThePlaceOfEstimates) {
  const Instance instance =
      typed_instance({{'B', {}}, {'B', {}}, {'B', {}}}, {{"cpu", 1}, {"gpu", 1}}, {{kCannotRun, kCannotRun}, {25, 10}});
  // The GPU takes the first; then 2 wait for it. By estimates the CPU holds back at 2.5, by hand it does not at 2.
  EXPECT_EQ(makespan(instance, "la-heteroprio:lists=cpu:B/gpu:B"), 30);
  EXPECT_EQ(makespan(instance, "la-heteroprio:lists=cpu:B*2/gpu:B"), 25);
  EXPECT_EQ(makespan(instance, "la-heteroprio:lists=cpu:B*2.1/gpu:B"), 30);
  // With the factor on the GPU, it is the GPU that waits for the CPU.
  EXPECT_EQ(makespan(instance, "la-heteroprio:lists=cpu:B/gpu:B*9"), 75);
  EXPECT_THROW(makespan(instance, "la-heteroprio:lists=cpu:B*2/gpu:B*2"), InputError);
}

/// "If all the costs of the nodes of a DAG are scaled by a factor, the heuristics should give the same priorities."
TEST(AutoHeteroprio, SchedulesTheSameWhenAllDurationsAreScaled) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const Instance one = random_instance(random, {.zero_durations = false, .unrunnable = false});
    Instance scaled = one;
    constexpr Time kFactor = 1 << 20;  // exact in floating point
    for (std::uint32_t row = 0; row < one.costs.row_count(); ++row) {
      for (const ClassId c : one.platform.classes()) {
        const Time duration = one.costs.actual_row(row)[index(c)];
        if (duration != kCannotRun) scaled.costs.set_actual(row, c, duration * kFactor);
      }
    }
    for (const char* heuristic : {"prws", "purws", "offset", "softplus", "interpolation", "ntc"}) {
      const std::string policy = std::string("auto-heteroprio:every=1,heuristic=") + heuristic;
      EXPECT_EQ(makespan(scaled, policy), makespan(one, policy) * kFactor) << heuristic;
    }
  }
}

TEST(AutoHeteroprio, LearnsDurationsThatItIsNotGiven) {
  // Four chains of each type; what a GPU runs 10 times faster is estimated the other way round.
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < 80; ++i) {
    nodes.push_back({i % 8 < 4 ? 'A' : 'B', {}});
    if (i >= 8) nodes.back().after.push_back(i + 1 - 8);
  }
  Instance instance = typed_instance(nodes, {{"cpu", 1}, {"gpu", 1}}, {{100, 10}, {10, 100}});
  instance.costs.set_estimate(0, ClassId{0}, 10);
  instance.costs.set_estimate(0, ClassId{1}, 100);
  instance.costs.set_estimate(1, ClassId{0}, 100);
  instance.costs.set_estimate(1, ClassId{1}, 10);
  const std::string policy = "auto-heteroprio:heuristic=difference,every=1,costs=";
  EXPECT_GE(makespan(instance, policy + "estimates"), 2000);
  EXPECT_LE(makespan(instance, policy + "measured"), 600);
}

TEST(AutoHeteroprio, UnknownDurationsAreLongOrTheShortestSeen) {
  // At 25 B is known on both classes, A on the CPU only, which now chooses between A4 and B5.
  const Instance instance = typed_instance({{'B', {}}, {'B', {}}, {'A', {1}}, {'A', {3}}, {'B', {3}}},
                                           {{"gpu", 1}, {"cpu", 1}}, {{15, 15}, {20, 10}});
  const auto choice = [&](const std::string& unknown) {
    const policy::Spec spec("auto-heteroprio:heuristic=difference,costs=measured,every=1,slowdown=false,unknown=" +
                            unknown);
    for (const Attempt& attempt : sim::simulate(instance, spec).attempts) {
      if (attempt.worker == WorkerId{1} && attempt.start == 25) return instance.graph.name(attempt.task);
    }
    return std::string_view();
  };
  EXPECT_EQ(choice("long"), "A4");
  EXPECT_EQ(choice("fastest"), "B5");
}

TEST(LaHeteroprio, GivesTheSchedulesOfThePlainReferenceWhereDataDoesNotMove) {
  Random random(81);
  for (int round = 0; round < rounds(1000); ++round) {
    RandomShape shape{.max_tasks = 60, .wrong_estimates = round % 4 == 1};
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    const Instance instance = random_instance(random, shape);
    for (const bool slowdown : {true, false}) {
      const policy::Spec spec(std::string("la-heteroprio:slowdown=") + (slowdown ? "true" : "false"));
      ASSERT_EQ(sim::simulate(instance, spec).attempts, reference_la_heteroprio(instance, slowdown))
          << spec.text() << " round " << round;
    }
  }
}

struct LaSpec {
  const char* spec;
  LaRules rules;
};
constexpr LaSpec kLaSpecs[] = {
    {"la-heteroprio", {}},
    {"la-heteroprio:affinity=ls-sdh,close=0", {.affinity = "ls-sdh", .close = 0}},
    {"la-heteroprio:affinity=ls-sdh2,slowdown=false", {.affinity = "ls-sdh2", .slowdown = false}},
    {"la-heteroprio:affinity=lc-smwb,close=1,step=2", {.affinity = "lc-smwb", .close = 1, .step = 2}},
    {"la-heteroprio:affinity=lcs", {.affinity = "lcs"}},
    {"la-heteroprio:affinity=worker,step=1", {.affinity = "worker", .step = 1}},
    {"la-heteroprio:affinity=auto", {.affinity = "auto"}},
    {"la-heteroprio:affinity=auto,close=0,slowdown=false", {.affinity = "auto", .close = 0, .slowdown = false}},
};

TEST(LaHeteroprio, GivesTheSchedulesOfThePlainReferenceWhereDataMoves) {
  Random random(83);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance instance =
        random_instance(random, {.max_tasks = 40, .wrong_estimates = round % 4 == 1, .data = true});
    sim::Config config;
    config.ahead = static_cast<std::uint32_t>(round % 3);
    for (const LaSpec& spec : kLaSpecs) {
      sim::Simulation plain(instance, reference_la_heteroprio(spec.rules), config);
      while (plain.step()) {
      }
      const Schedule schedule = sim::simulate(instance, policy::Spec(spec.spec), config);
      ASSERT_EQ(schedule.attempts, plain.attempts()) << spec.spec << " round " << round;
      ASSERT_EQ(schedule.transfers, plain.transfers()) << spec.spec << " round " << round;
    }
  }
}

TEST(AutoHeteroprio, GivesTheSchedulesOfThePlainReference) {
  Random random(82);
  for (int round = 0; round < rounds(100); ++round) {
    RandomShape shape{.max_tasks = 40, .min_classes = 2, .max_duration = 1000, .unrunnable = false};
    const Instance instance = random_instance(random, shape);
    for (const char* heuristic : {"prws", "purws", "offset", "softplus", "interpolation", "ntc", "nod", "urt",
                                  "difference", "relative-difference"}) {
      const bool slowdown = round % 2 == 0;
      const policy::Spec spec(std::string("auto-heteroprio:every=5,heuristic=") + heuristic +
                              (slowdown ? "" : ",slowdown=false"));
      ASSERT_EQ(sim::simulate(instance, spec).attempts, reference_auto_heteroprio(instance, heuristic, 5, slowdown))
          << spec.text() << " round " << round;
    }
  }
}

}  // namespace
}  // namespace heddle::test
