// dual-hp and dada: at most twice the optimum on independent tasks.

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/independent.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_dada.hpp"
#include "tests/support/reference_dual_hp.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::dual_approximation_test {
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
  for (int round = 0; round < rounds(1000); ++round) {
    const Instance instance = random_independent(random, {.max_tasks = 6, .max_workers = 3});
    const Time optimum = optimal_makespan(instance);
    ASSERT_LE(split_bound(instance), optimum);
    for (const char* spec : kDualPolicies) EXPECT_LE(makespan(instance, spec), 2 * optimum) << spec;
  }
}

TEST(DualApproximation, NeverTakesMoreThanTwiceTheBoundOfSplitWork) {
  Random random(52);
  for (int round = 0; round < rounds(1000); ++round) {
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
  for (int round = 0; round < rounds(500); ++round) {
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

TEST(DualHp, GivesTheSchedulesOfThePlainReference) {
  Random random(54);
  for (int round = 0; round < rounds(2000); ++round) {
    RandomShape shape{.min_classes = 2, .max_classes = 2, .wrong_estimates = round % 4 == 1};
    shape.max_tasks = round % 10 == 0 ? 80 : 30;
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    shape.shared_types = round % 3 != 0;
    const Instance instance = random_instance(random, shape);
    for (const auto& [spec, order] :
         {std::pair("dual-hp", DualOrder::min), std::pair("dual-hp:rank=avg", DualOrder::avg),
          std::pair("dual-hp:rank=fifo", DualOrder::fifo)}) {
      ASSERT_EQ(sim::simulate(instance, policy::Spec(spec)).attempts, reference_dual_hp(instance, order))
          << spec << " round " << round;
    }
  }
}

/// The same instance in which every task has a type, and so a row of costs, of its own; named backwards.
Instance named_apart(const Instance& instance) {
  TaskGraphBuilder builder;
  const std::size_t tasks = instance.graph.task_count();
  for (std::size_t t = 0; t < tasks; ++t) builder.add_type("type" + std::to_string(t));
  for (const TaskId task : instance.graph.tasks()) {
    builder.add_task(std::to_string(index(task)), make_id<TypeId>(tasks - 1 - index(task)));
    for (const TaskId before : instance.graph.predecessors(task)) builder.add_edge(before, task);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, instance.platform.class_count());
  for (const TaskId task : instance.graph.tasks()) {
    for (const ClassId c : instance.platform.classes()) {
      costs.set_actual(costs.row(task), c, instance.costs.actual(task, c));
    }
  }
  return make_instance("named apart", std::move(graph), instance.platform, std::move(costs));
}

TEST(DualHp, DoesNotLookAtTypes) {
  Random random(56);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance instance = random_instance(random, {.min_classes = 2, .max_classes = 2, .max_duration = 6});
    for (const char* spec : {"dual-hp", "dual-hp:rank=avg", "dual-hp:rank=fifo"}) {
      ASSERT_EQ(sim::simulate(instance, policy::Spec(spec)).attempts,
                sim::simulate(named_apart(instance), policy::Spec(spec)).attempts)
          << spec << " round " << round;
    }
  }
}

struct DadaSpec {
  const char* spec;
  DadaRules rules;
};
constexpr DadaSpec kDadaSpecs[] = {
    {"dada:alpha=0", {.alpha = 0}},
    {"dada", {}},
    {"dada:alpha=1,fit=limit", {.alpha = 1, .by_area = false}},
    {"dada:loads=batch", {.all_loads = false}},
    {"dada:fit=limit,loads=batch", {.by_area = false, .all_loads = false}},
    {"dada:cp=true", {.counts_transfers = true}},
};

TEST(Dada, GivesTheSchedulesOfThePlainReference) {
  Random random(55);
  for (int round = 0; round < rounds(1000); ++round) {
    RandomShape shape{.max_tasks = 30, .min_classes = 2, .max_classes = 2, .wrong_estimates = round % 4 == 1};
    shape.data = round % 3 != 0;
    shape.max_duration = round % 2 == 0 ? 20 : 1000;
    shape.shared_types = round % 5 != 0;
    const Instance instance = random_instance(random, shape);
    for (const DadaSpec& spec : kDadaSpecs) {
      sim::Simulation plain(instance, reference_dada(spec.rules));
      while (plain.step()) {
      }
      ASSERT_EQ(sim::simulate(instance, policy::Spec(spec.spec)).attempts, plain.attempts())
          << spec.spec << " round " << round;
    }
  }
}

}  // namespace
}  // namespace heddle::test::dual_approximation_test
