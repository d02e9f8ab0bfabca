// dual-hp and dada: at most twice the optimum on independent tasks.

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/independent.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {
namespace {

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);
constexpr const char* kDualPolicies[] = {"dual-hp", "dual-hp:rank=avg", "dual-hp:rank=fifo", "dada:alpha=0",
                                         "dada:alpha=0,fit=limit"};

Time makespan(const Instance& instance, const std::string& spec) {
  return sim::simulate(instance, policy::Spec(spec)).makespan();
}

/// Whether work that may be split can be done by a deadline when no task, not even a part of it, runs where it would
/// take longer than that.
bool can_split(const Instance& instance, Time deadline) {
  struct Part {
    double cpu;
    double gpu;
  };
  std::vector<Part> free;
  double cpu_room = static_cast<double>(deadline) * instance.platform.worker_count(kCpu);
  double gpu_room = static_cast<double>(deadline) * instance.platform.worker_count(kGpu);
  for (const TaskId task : instance.graph.tasks()) {
    const Time cpu = instance.costs.actual(task, kCpu);
    const Time gpu = instance.costs.actual(task, kGpu);
    if (std::min(cpu, gpu) > deadline) return false;
    if (cpu > deadline) {
      gpu_room -= static_cast<double>(gpu);
    } else if (gpu > deadline) {
      cpu_room -= static_cast<double>(cpu);
    } else {
      free.push_back({static_cast<double>(cpu), static_cast<double>(gpu)});
    }
  }
  if (gpu_room < 0) return false;
  std::ranges::sort(free, [](Part a, Part b) { return a.cpu * b.gpu > b.cpu * a.gpu; });
  for (const Part part : free) {
    const double on_gpu = std::min(1.0, gpu_room / part.gpu);
    gpu_room -= on_gpu * part.gpu;
    cpu_room -= (1 - on_gpu) * part.cpu;
  }
  return cpu_room >= -1e-6;
}

/// The shortest deadline of can_split: no schedule of whole tasks is shorter.
Time split_bound(const Instance& instance) {
  Time enough = 1;
  while (!can_split(instance, enough)) enough *= 2;
  for (Time too_short = enough / 2; enough - too_short > 1;) {
    const Time middle = (too_short + enough) / 2;
    (can_split(instance, middle) ? enough : too_short) = middle;
  }
  return enough;
}

TEST(DualApproximation, NeverTakesMoreThanTwiceTheOptimum) {
  Random random(51);
  for (int round = 0; round < 1000; ++round) {
    const Instance instance = random_independent(random, {.max_tasks = 6, .max_workers = 3});
    const Time optimum = optimal_makespan(instance);
    ASSERT_LE(split_bound(instance), optimum);
    for (const char* spec : kDualPolicies) EXPECT_LE(makespan(instance, spec), 2 * optimum) << spec;
  }
}

TEST(DualApproximation, NeverTakesMoreThanTwiceTheBoundOfSplitWork) {
  Random random(52);
  for (int round = 0; round < 1000; ++round) {
    IndependentShape shape{.max_tasks = 60, .max_workers = 8};
    shape.max_duration = round % 2 == 0 ? 10 : 200;
    const Instance instance = random_independent(random, shape);
    const Time bound = split_bound(instance);
    for (const char* spec : kDualPolicies) EXPECT_LE(makespan(instance, spec), 2 * bound) << spec;
  }
}

// Graham's classic, on GPUs only: k (k - 1) tasks of 1 and one of k take k at best, in the order of their numbers 2 k
// - 1.
TEST(DualApproximation, ComesCloseToTwice) {
  const Time k = 12;
  std::vector<std::pair<Time, Time>> durations(static_cast<std::size_t>(k * (k - 1)), {kCannotRun, 1});
  durations.emplace_back(kCannotRun, k);
  const Instance instance = independent(durations, 1, static_cast<std::uint32_t>(k));
  EXPECT_EQ(split_bound(instance), k);
  EXPECT_EQ(makespan(instance, "dual-hp:rank=fifo"), 2 * k - 1);
  EXPECT_EQ(makespan(instance, "dual-hp"), k);  // longest first
}

TEST(Dada, TakesNoMoreThanItsLimitTimesTheOptimum) {
  Random random(53);
  for (int round = 0; round < 500; ++round) {
    const Instance instance = random_independent(random, {.max_tasks = 60, .max_workers = 8});
    EXPECT_LE(2 * makespan(instance, "dada:alpha=0.5"), 5 * split_bound(instance));
    EXPECT_LE(makespan(instance, "dada:alpha=1,fit=limit"), 3 * split_bound(instance));
  }
}

/// One task, 10 on a GPU and 100 on the CPU, that writes a datum. Every worker but the CPU has a memory of its own.
Instance writing_task() {
  TaskGraphBuilder builder;
  const DataId datum = builder.add_datum({.name = "tile", .bytes = 1000});
  const Access access{datum, AccessMode::read_write};
  builder.add_task("task", builder.add_type("work"), std::span(&access, 1));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, kCpu, 100);
  costs.set_actual(0, kGpu, 10);
  std::vector<Link> links;
  for (const char* gpu : {"gpu0", "gpu1"}) {
    links.push_back(
        {.from = "ram", .to = gpu, .bandwidth = 1e15, .latency = 0, .via = {}});  // 1 picosecond for 1000 bytes
    links.push_back({.from = gpu, .to = "ram", .bandwidth = 1e15, .latency = 0, .via = {}});
  }
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 2, .memory = "each"}}, links);
  return make_instance("writing", std::move(graph), std::move(platform), std::move(costs));
}

TEST(Dada, FollowsTheDataThatATaskWritesOrTheTransfersThatItPredicts) {
  const Instance instance = writing_task();
  const WorkerId cpu = make_id<WorkerId>(0);
  const WorkerId first_gpu = make_id<WorkerId>(1);
  const WorkerId second_gpu = make_id<WorkerId>(2);
  const TaskId task = make_id<TaskId>(0);
  const auto runs_on = [&](const char* spec) {
    policy::HostView view(instance);
    const DataId datum = make_id<DataId>(0);
    view.set_copy(datum, instance.platform.memory_of(cpu), policy::HostView::Copy::none);
    view.set_copy(datum, instance.platform.memory_of(second_gpu), policy::HostView::Copy::valid);
    policy::Policy policy = policy::Spec(spec).make(1);
    policy.start(view);
    policy.ready(view, std::span(&task, 1));
    policy::Action action = policy.next(view);
    if (action.kind == policy::Action::Kind::prefetch) action = policy.next(view);
    return action.worker;
  };
  EXPECT_EQ(runs_on("dada:alpha=0"), first_gpu);
  EXPECT_EQ(runs_on("dada:alpha=0.1"), second_gpu);
  EXPECT_EQ(runs_on("dada:alpha=0,cp=true"), second_gpu);
}

}  // namespace
}  // namespace heddle::test
