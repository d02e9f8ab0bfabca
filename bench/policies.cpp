// Every policy on one graph: 45,760 tasks, a tiled Cholesky factorization of 64 tiles on 60 CPU cores and 4 GPUs.
//
//   build/release/bin/heddle_bench --benchmark_filter=policy
//
// The time is that of a whole run: policy and engine, from the first fact to the last decision. Offline policies plan
// in it; those that look ahead simulate in it.

#include <benchmark/benchmark.h>

#include "heddle/platforms/platforms.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle {
namespace {

void policy_run(benchmark::State& state, const std::string& name) {
  static const Instance kInstance =
      workload::generate("cholesky:tiles=64", platforms::resolve("kumar-2017:cpu=60,gpu=4"));
  const policy::Spec spec(name);
  for (auto _ : state) {
    sim::Simulation simulation(kInstance, spec.make(1));
    while (!simulation.finished()) simulation.step();
    benchmark::DoNotOptimize(simulation.now());
  }
  const auto tasks = static_cast<double>(kInstance.graph.task_count());
  state.counters["tasks/s"] = benchmark::Counter(tasks, benchmark::Counter::kIsIterationInvariantRate);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const policy::Entry& entry : policy::entries()) {
    const policy::Spec spec(entry.name);
    if (entry.needs(spec.options()).plan) continue;
    benchmark::RegisterBenchmark(("policy/" + entry.name).c_str(), policy_run, entry.name)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace heddle
