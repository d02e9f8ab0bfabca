// HeteroPrioDep on tiled Cholesky factorizations: the simulator and the policy against the plain reference.
//
//   build/release/bin/heddle_bench
//
// "three orders" is what the 2020 study times (about 200 ms for 64 tiles). The ratio of plain_reference to
// heteroprio_dep in one run is the figure that travels between machines.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

#include "heddle/platforms/platforms.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/support/reference_heteroprio_dep.hpp"

namespace heddle {
namespace {

constexpr const char* kOrders[] = {"latest", "priority", "acceleration"};

Instance cholesky(std::int64_t tiles) {
  return workload::generate("cholesky:tiles=" + std::to_string(tiles), platforms::resolve("kumar-2017:cpu=60,gpu=4"));
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void count_tasks(benchmark::State& state, const Instance& instance, double per_iteration) {
  const auto tasks = static_cast<double>(instance.graph.task_count());
  state.counters["tasks/s"] = benchmark::Counter(tasks * per_iteration, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak B/task"] = peak_bytes() / tasks;
}

void run(const Instance& instance, const std::string& order) {
  sim::Simulation simulation(instance, policy::Spec("heteroprio-dep:order=" + order).make(1));
  while (!simulation.finished()) simulation.step();
  benchmark::DoNotOptimize(simulation.now());
}

void three_orders(benchmark::State& state) {
  const Instance instance = cholesky(state.range(0));
  for (auto _ : state) {
    for (const char* order : kOrders) run(instance, order);
  }
  count_tasks(state, instance, 3);
}

void plain_reference(benchmark::State& state) {
  const Instance instance = cholesky(state.range(0));
  using enum test::SpoliationOrder;
  for (auto _ : state) {
    for (const auto order : {latest, priority, acceleration}) {
      benchmark::DoNotOptimize(test::reference_heteroprio_dep(instance, order));
    }
  }
  count_tasks(state, instance, 3);
}

/// One order, building the graph included.
void build_and_run(benchmark::State& state) {
  for (auto _ : state) run(cholesky(state.range(0)), "latest");
  const Instance instance = cholesky(state.range(0));
  count_tasks(state, instance, 1);
}

BENCHMARK(three_orders)->Arg(64)->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK(plain_reference)->Arg(64)->Unit(benchmark::kMillisecond)->MinTime(1);
// 45,760, 182,104 and 1,004,731 tasks; the largest last, for the peak of memory is the process's.
BENCHMARK(build_and_run)->Arg(64)->Arg(102)->Arg(181)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle
