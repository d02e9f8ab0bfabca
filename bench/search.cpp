// A move of the search: what it costs to choose a critical task, find a place for it and bring all times up to date.
//
//   build/release/bin/heddle_bench --benchmark_filter=search
//
// search_move is a thousand of them; search_all_times computes the times of one schedule from nothing.

#include "heddle/search/search.hpp"

#include <benchmark/benchmark.h>

#include <string>

#include "heddle/platforms/platforms.hpp"
#include "heddle/search/annealing.hpp"
#include "heddle/search/disjunctive_graph.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::search {
namespace {

Instance cholesky(std::int64_t tiles) {
  return workload::generate("cholesky:tiles=" + std::to_string(tiles), platforms::resolve("kumar-2017:cpu=20,gpu=4"));
}

/// As hot as in the middle of a search of ten seconds.
void search_move(benchmark::State& state) {
  const Instance instance = cholesky(state.range(0));
  Annealing annealing(instance, sim::simulate(instance, policy::Spec("hlp")), 1, 0);
  const double temperature = 0.03 * annealing.mean_duration();
  constexpr std::uint64_t kMoves = 1000;
  const auto never = [] { return false; };
  annealing.run(20 * kMoves, temperature, temperature, never);  // down from the start
  for (auto _ : state) annealing.run(kMoves, temperature, temperature, never);
  const auto moves = static_cast<double>(state.iterations()) * static_cast<double>(kMoves);
  state.counters["moves"] = benchmark::Counter(moves, benchmark::Counter::kIsRate);
}

void search_all_times(benchmark::State& state) {
  const Instance instance = cholesky(state.range(0));
  const Schedule schedule = sim::simulate(instance, policy::Spec("hlp"));
  for (auto _ : state) benchmark::DoNotOptimize(DisjunctiveGraph(instance, schedule).makespan());
}

BENCHMARK(search_move)->Arg(8)->Arg(12)->Arg(16)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(search_all_times)->Arg(8)->Arg(12)->Arg(16)->Arg(24)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::search
