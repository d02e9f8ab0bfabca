#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "heddle/model/error.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/workload/toy_machine.hpp"

namespace heddle::workload {
namespace {

using test::bare_machine;
using test::input_error;
using test::toy_machine;

/// A number that depends on every edge and every duration.
std::uint64_t fingerprint(const Instance& instance) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15 + (hash >> 32); };
  for (const TaskId task : instance.graph.tasks()) {
    mix(index(instance.graph.type(task)));
    for (const TaskId next : instance.graph.successors(task)) mix(index(next));
    for (const ClassId c : instance.platform.classes()) {
      mix(static_cast<std::uint64_t>(instance.costs.actual(task, c)));
    }
  }
  return hash;
}

TEST(RandomWorkloads, AreTheSameEverywhere) {
  EXPECT_EQ(fingerprint(generate("fork-join:width=40,phases=3,seed=7", bare_machine())), 6303338970627083008U);
  EXPECT_EQ(fingerprint(generate("independent:tasks=50,seed=7", toy_machine())), 14745275981531282598U);
  EXPECT_EQ(fingerprint(generate("layered:seed=7", bare_machine())), 4747211083430357068U);
  EXPECT_EQ(fingerprint(generate("predecessor-matrix:tasks=100,seed=7", bare_machine())), 11870924363473976139U);
}

TEST(RandomWorkloads, DependOnTheSeed) {
  for (const std::string name :
       {"fork-join:width=10,phases=3", "independent:tasks=50", "layered:layers=3", "predecessor-matrix:tasks=50"}) {
    const auto with_seed = [&](const std::string& seed) {
      return fingerprint(generate(name + ",seed=" + seed, toy_machine()));
    };
    EXPECT_EQ(with_seed("1"), with_seed("1"));
    EXPECT_EQ(with_seed("1"), fingerprint(generate(name, toy_machine())));
    EXPECT_NE(with_seed("1"), with_seed("18446744073709551615"));
  }
}

TEST(ForkJoin, HasPhasesBetweenJoins) {
  const Instance instance = generate("fork-join:width=4,phases=3", bare_machine());
  const TaskGraph& graph = instance.graph;
  ASSERT_EQ(graph.task_count(), 1U + 3 * 5);
  EXPECT_EQ(graph.edge_count(), 3U * 8);
  EXPECT_EQ(graph.name(TaskId{0}), "start");
  EXPECT_EQ(graph.name(TaskId{6}), "task(1,0)");
  EXPECT_EQ(graph.name(TaskId{5}), "join(0)");
  EXPECT_EQ(graph.predecessors(TaskId{5}).size(), 4U);
  EXPECT_EQ(graph.successors(TaskId{5}).size(), 4U);
}

double factor(const Instance& instance, TaskId task) {
  return to_seconds(instance.costs.actual(task, ClassId{0})) / to_seconds(instance.costs.actual(task, ClassId{1}));
}

TEST(ForkJoin, FivePercentOfEachPhaseAreSlowOnTheGpu) {
  const Instance instance = generate("fork-join:width=110,phases=4", bare_machine());
  std::map<std::string, int> slow;
  std::set<std::string> positions;
  for (const TaskId task : instance.graph.tasks()) {
    const double f = factor(instance, task);
    EXPECT_TRUE(f > 0.0999 && f < 50.001) << f;
    if (f > 0.4999) continue;
    const std::string name(instance.graph.name(task));
    ++slow[name.substr(0, name.find(','))];
    positions.insert(name.substr(name.find(',')));
  }
  // round(5.5) = 6 in each of the four phases, and not the same ones in each.
  EXPECT_EQ(slow, (std::map<std::string, int>{{"task(0", 6}, {"task(1", 6}, {"task(2", 6}, {"task(3", 6}}));
  EXPECT_GT(positions.size(), 6U);
}

TEST(ForkJoin, CpuTimesFollowTheNumberOfPhases) {
  const Instance instance = generate("fork-join:width=500,phases=20,seed=3", bare_machine());
  double sum = 0;
  double squares = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const double seconds = to_seconds(instance.costs.actual(task, ClassId{0}));
    EXPECT_GE(seconds, 1);
    sum += seconds;
    squares += (seconds - 20) * (seconds - 20);
  }
  const auto tasks = static_cast<double>(instance.graph.task_count());
  EXPECT_NEAR(sum / tasks, 20, 0.2);
  EXPECT_NEAR(squares / tasks, 25, 1.5);
}

TEST(ForkJoin, NeedsTwoClasses) {
  Machine machine = bare_machine();
  machine.classes.pop_back();
  EXPECT_EQ(input_error([&] { (void)generate("fork-join", machine); }),
            "workload 'fork-join' draws a CPU and a GPU time for each task and needs a platform of exactly two "
            "classes; 'bare' has cpu");
}

std::map<std::string, int> count_types(const Instance& instance) {
  std::map<std::string, int> count;
  for (const TaskId task : instance.graph.tasks()) {
    ++count[std::string(instance.graph.type_name(instance.graph.type(task)))];
  }
  return count;
}

TEST(Independent, IsByDefaultTheFactorizationWithoutDependencies) {
  const Instance instance = generate("independent:of=lu,tiles=4", toy_machine());
  EXPECT_EQ(count_types(instance),
            (std::map<std::string, int>{{"GETRF", 4}, {"TRSM_U", 6}, {"TRSM_L", 6}, {"GEMM", 14}}));
  EXPECT_EQ(instance.graph.edge_count(), 0U);
}

TEST(Independent, DrawsKernelsWithTheFrequencyTheyHave) {
  const Instance instance = generate("independent:tasks=22000,of=cholesky,tiles=10", toy_machine());
  const auto count = count_types(instance);
  EXPECT_NEAR(count.at("POTRF"), 1000, 100);
  EXPECT_NEAR(count.at("TRSM"), 4500, 200);
  EXPECT_NEAR(count.at("SYRK"), 4500, 200);
  EXPECT_NEAR(count.at("GEMM"), 12000, 250);
  EXPECT_EQ(instance.graph.edge_count(), 0U);
}

TEST(Independent, DrawsKernelsEquallyOftenWhereAskedTo) {
  const Instance instance = generate("independent:tasks=20000,share=equal", toy_machine());
  Table<TypeId, int> tasks(instance.graph.type_count(), 0);
  for (const TaskId task : instance.graph.tasks()) ++tasks[instance.graph.type(task)];
  for (const int count : tasks) EXPECT_NEAR(count, 5000, 250);
  EXPECT_THROW(static_cast<void>(generate("independent:share=equal", toy_machine())), InputError);
}

TEST(Independent, TakesTimesMeasuredInsideItsAlgorithm) {
  const Instance instance = generate("independent:tasks=3,of=gemm,tiles=1", toy_machine());
  EXPECT_EQ(instance.costs.actual(TaskId{2}, ClassId{0}), 4 * kMillisecond);
  EXPECT_EQ(instance.graph.name(TaskId{2}), "GEMM(2)");
}

TEST(Layered, EveryTaskWaitsForTheLayerBefore) {
  const Instance instance = generate("layered:layers=5,width=6,density=0", bare_machine());
  for (const TaskId task : instance.graph.tasks()) {
    const auto before = instance.graph.predecessors(task);
    EXPECT_EQ(before.size(), index(task) < 6 ? 0U : 1U);
    for (const TaskId from : before) EXPECT_EQ(index(from) / 6 + 1, index(task) / 6);
  }
  EXPECT_EQ(generate("layered:layers=5,width=6,density=1", bare_machine()).graph.edge_count(), 4U * 36);
}

TEST(Layered, HasTheDensityAskedFor) {
  for (const std::string density : {"0.01", "0.3", "0.9"}) {
    const Instance instance = generate("layered:layers=21,width=100,density=" + density, bare_machine());
    const double pairs = 20 * 100 * 100;
    // At 0.01 about a third of the tasks would have no predecessor and get one.
    const double expected = density == "0.01" ? 0.01 + 0.366 / 100 : std::stod(density);
    EXPECT_NEAR(static_cast<double>(instance.graph.edge_count()) / pairs, expected, 0.004) << density;
  }
}

TEST(Layered, TakesTheTinyDensitiesThatThereAre) {
  EXPECT_EQ(generate("layered:layers=3,width=10,density=1e-300", bare_machine()).graph.edge_count(), 20U);
  EXPECT_EQ(generate("layered:layers=3,width=10,density=1e-16", bare_machine()).graph.edge_count(), 20U);
}

TEST(Layered, DurationsStayInTheirRanges) {
  const Instance instance = generate("layered:kernels=50,shortest=1,longest=2,weakest=4,strongest=5", bare_machine());
  for (const TaskId task : instance.graph.tasks()) {
    const double seconds = to_seconds(instance.costs.actual(task, ClassId{0}));
    EXPECT_TRUE(seconds >= 1 && seconds <= 2);
    EXPECT_NEAR(factor(instance, task), 4.5, 0.5001);
  }
}

TEST(Layered, RefusesWhatCannotBe) {
  EXPECT_EQ(input_error([] { (void)generate("layered:shortest=3,longest=2", bare_machine()); }),
            "workload 'layered': option 'shortest' is above option 'longest'");
  EXPECT_EQ(input_error([] { (void)generate("layered:layers=100,width=100000", bare_machine()); }),
            "workload 'layered' would have about 200000000000 dependencies (layers * width^2 * density); at most "
            "200000000 are possible");
}

/// Two types, the first fastest on the two cores, the second on the GPU.
constexpr const char* kTwoTypes = "predecessor-matrix:types=2,durations=1+3/4+2,matrix=0.5+1.25/0+2,tasks=3000";

TEST(PredecessorMatrix, IsMatchedOnAverage) {
  const Instance instance = generate(kTwoTypes, bare_machine());
  std::map<std::pair<std::size_t, std::size_t>, double> edges;
  std::map<std::size_t, double> tasks;
  for (const TaskId task : instance.graph.tasks()) {
    const std::size_t type = index(instance.graph.type(task));
    ++tasks[type];
    for (const TaskId before : instance.graph.predecessors(task)) ++edges[{type, index(instance.graph.type(before))}];
  }
  EXPECT_NEAR((edges[{0, 0}] / tasks[0]), 0.5, 0.03);
  EXPECT_NEAR((edges[{0, 1}] / tasks[0]), 1.25, 0.03);
  EXPECT_EQ((edges[{1, 0}]), 0);
  EXPECT_NEAR((edges[{1, 1}] / tasks[1]), 2, 0.03);
}

TEST(PredecessorMatrix, FillsTheWorkersWithWhatIsFastestThere) {
  const Instance instance = generate(kTwoTypes, bare_machine());
  const int cores = 2;
  std::map<std::string, int> count = count_types(instance);
  // Each core has worked for as long as the GPU, but for the last task.
  const double core_seconds = 1.0 * count["K0"] / cores;
  const double gpu_seconds = 2.0 * count["K1"];
  EXPECT_NEAR(core_seconds, gpu_seconds, 2);
  // And no chain of tasks is longer than that, so that the filled schedule respects the dependencies.
  Table<TaskId, double> end(instance.graph.task_count(), 0);
  for (const TaskId task : instance.graph.topological_order()) {
    for (const TaskId before : instance.graph.predecessors(task)) end[task] = std::max(end[task], end[before]);
    end[task] += index(instance.graph.type(task)) == 0 ? 1 : 2;
    EXPECT_LE(end[task], gpu_seconds + 2);
  }
}

TEST(PredecessorMatrix, RecentPredecessorsComeNearThePublishedShares) {
  // Table 2, index 10: 2 CPUs, 9 GPUs, 0.995 predecessors on average and 1 at most; 30.1 % of the tasks have no
  // successor, 0.5 % have five or more, none has more than 7.
  Machine machine = bare_machine();
  machine.classes[1].workers = 9;
  struct Shares {
    double none = 0;
    double five_or_more = 0;
    std::size_t most = 0;
  };
  const auto shares = [&](const std::string& option) {
    const Instance instance =
        generate("predecessor-matrix:types=2,durations=1+3/4+2,matrix=1+0/0+1,tasks=2200" + option, machine);
    const auto part = 1 / static_cast<double>(instance.graph.task_count());
    EXPECT_NEAR(static_cast<double>(instance.graph.edge_count()) * part, 0.995, 0.002);
    Shares found;
    for (const TaskId task : instance.graph.tasks()) {
      const std::size_t successors = instance.graph.successors(task).size();
      found.none += successors == 0 ? part : 0;
      found.five_or_more += successors >= 5 ? part : 0;
      found.most = std::max(found.most, successors);
    }
    return found;
  };
  const Shares recent = shares("");
  EXPECT_NEAR(recent.none, 0.36, 0.03);
  EXPECT_NEAR(recent.five_or_more, 0.005, 0.004);
  EXPECT_LE(recent.most, 8U);
  const Shares any = shares(",recent=2200");
  EXPECT_GT(any.none, 0.45);
  EXPECT_GT(any.five_or_more, 0.02);
  EXPECT_GT(any.most, 8U);
}

TEST(PredecessorMatrix, TypesOfProportionZeroDoNotOccur) {
  const Instance instance =
      generate("predecessor-matrix:types=3,durations=1+2/1+2/2+1,proportions=1+0+1,tasks=100", bare_machine());
  const std::map<std::string, int> count = count_types(instance);
  EXPECT_EQ(count.count("K1"), 0U);
  EXPECT_EQ(count.size(), 2U);
}

TEST(PredecessorMatrix, RefusesWhatDoesNotFit) {
  const auto error = [](const std::string& options) {
    return input_error([&] { (void)generate("predecessor-matrix:" + options, bare_machine()); });
  };
  EXPECT_EQ(error("types=2,matrix=1+2"),
            "workload 'predecessor-matrix': option 'matrix' is '1+2'; expected 2 rows of 2 numbers");
  EXPECT_EQ(error("types=1,durations=1+x"),
            "workload 'predecessor-matrix': option 'durations' has 'x'; expected numbers in 0..10000, parted by '+' in "
            "a row, by '/' between rows");
  EXPECT_EQ(error("types=2,proportions=0+0"),
            "workload 'predecessor-matrix': every type has proportion 0 or the platform no worker");
  EXPECT_EQ(error("weakest=3,strongest=2"),
            "workload 'predecessor-matrix': option 'weakest' is above option 'strongest'");
  EXPECT_EQ(error("types=1,matrix=10000,tasks=30000"),
            "workload 'predecessor-matrix' may have 300000000 dependencies (tasks * largest row of the matrix); at "
            "most 200000000 are possible");
  EXPECT_NE(error("types=1,durations=10000+10000,tasks=2000"), "");
}

}  // namespace
}  // namespace heddle::workload
