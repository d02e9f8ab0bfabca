// The iterative bound: where the area rules, where the critical path does, and where they compete and nearly every task
// is critical.
//
//   build/release/bin/heddle_bench --benchmark_filter=iterative
//
// The ratio of iterative to iterative_by_simplex is the figure that travels between machines: the same bound, by steps
// on the whole program and by the linear programs that grow path by path (those of `hlp`).

#include "heddle/bounds/bounds.hpp"

#include <benchmark/benchmark.h>

#include <string>

#include "heddle/platforms/platforms.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle {
namespace {

struct Case {
  const char* workload;
  const char* machine;
};

constexpr Case kCases[] = {
    {"cholesky:tiles=64", "kumar-2017:cpu=20,gpu=4"},   {"lu:tiles=64", "kumar-2017:cpu=20,gpu=4"},
    {"qr:tiles=64", "kumar-2017:cpu=20,gpu=4"},         {"cholesky:tiles=64", "kumar-2017:cpu=60,gpu=4"},
    {"lu:tiles=64", "kumar-2017:cpu=60,gpu=4"},         {"qr:tiles=64", "kumar-2017:cpu=60,gpu=4"},
    {"cholesky:tiles=32", "kumar-2017:cpu=240,gpu=24"}, {"lu:tiles=24", "kumar-2017:cpu=240,gpu=8"},
    {"qr:tiles=24", "kumar-2017:cpu=120,gpu=4"},        {"qr:tiles=20", "kumar-2017:cpu=60,cpu5=8,gpu=4"}};

template <class Compute>
void measure(benchmark::State& state, Compute compute) {
  const Case& one = kCases[state.range(0)];
  const Instance instance = workload::generate(one.workload, platforms::resolve(one.machine));
  for (auto _ : state) benchmark::DoNotOptimize(compute(instance));
  state.SetLabel(std::string(one.workload) + " on " + one.machine);
}

void iterative(benchmark::State& state) {
  measure(state, [](const Instance& instance) { return bounds::iterative_bound(instance).value; });
}

void iterative_by_simplex(benchmark::State& state) {
  measure(state, [](const Instance& instance) {
    return bounds::fractional_allocation(instance, bounds::Options{}.tolerance).durations(instance).size();
  });
}

BENCHMARK(iterative)->DenseRange(0, 9)->Unit(benchmark::kMillisecond);
BENCHMARK(iterative_by_simplex)->DenseRange(6, 9)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle
