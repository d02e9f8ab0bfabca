#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "graphs.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"
#include "parts.hpp"

namespace heddle::bench {
namespace {

/// Runs of one session that are timed, after one that is not: it is checked, and warms up.
constexpr int kRuns = 5;

/// Nanoseconds per task.
struct Overhead {
  Samples time{};
  Samples processor{};  ///< used by all threads together, waiting in loops included
};

/// Nanoseconds of processor time that this process has used.
double processor_time() {
  return static_cast<double>(std::clock()) * (1e9 / CLOCKS_PER_SEC);
}

void sample(EmptyGraph& graph, unsigned workers, const Contender& contender, Overhead& overhead) {
  const auto session = contender.start(graph.problem, workers);
  graph.check([&] { session->run(); });
  const auto tasks = static_cast<double>(graph.problem.graph.task_count());
  for (int i = 0; i < kRuns; ++i) {
    const double before = processor_time();
    overhead.time.add(session->run() * 1e9 / tasks);
    overhead.processor.add((processor_time() - before) / tasks);
  }
}

void print(const EmptyGraph& graph, unsigned workers, const std::vector<Contender>& contenders,
           const std::vector<Overhead>& all) {
  std::cout << fmt::format("\n{} ({} tasks, {} dependencies), {}: ns per task\n", graph.name,
                           graph.problem.graph.task_count(), graph.problem.graph.edge_count(),
                           report::format_count(workers, "worker"));
  using report::Align;
  report::TextTable table({{"system"},
                           {"median", Align::right},
                           {"min", Align::right},
                           {"median CPU", Align::right},
                           {"min CPU", Align::right},
                           {"median / first", Align::right},
                           {"min / first", Align::right}});
  const Samples& first = all.front().time;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Samples& time = all[i].time;
    table.add_row({contenders[i].name(), fmt::format("{:.0f}", time.median()), fmt::format("{:.0f}", time.min()),
                   fmt::format("{:.0f}", all[i].processor.median()), fmt::format("{:.0f}", all[i].processor.min()),
                   fmt::format("{:.2f}", time.median() / first.median()),
                   fmt::format("{:.2f}", time.min() / first.min())});
  }
  std::cout << table.text() << std::flush;
}

}  // namespace

void measure_overhead(const Settings& settings, const std::vector<Contender>& contenders) {
  for (EmptyGraph& graph : empty_graphs()) {
    if (!settings.graphs.empty() && std::ranges::find(settings.graphs, graph.name) == settings.graphs.end()) continue;
    for (const unsigned workers : settings.workers) {
      std::vector<Overhead> all(contenders.size());
      for (std::size_t repetition = 0; repetition < settings.repetitions; ++repetition) {
        for (std::size_t i = 0; i < contenders.size(); ++i) sample(graph, workers, contenders[i], all[i]);
      }
      print(graph, workers, contenders, all);
    }
  }
}

}  // namespace heddle::bench
