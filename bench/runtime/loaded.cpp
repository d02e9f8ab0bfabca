#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "graphs.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"
#include "parts.hpp"

namespace heddle::bench {
namespace {

/// Processes that use all the time that the system gives them, until this goes.
class BusyProcesses {
 public:
  explicit BusyProcesses(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) be_busy();
      if (child < 0) throw std::runtime_error("no process can be started");
      children_.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (const pid_t child : children_) kill(child, SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  [[noreturn]] static void be_busy() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile unsigned turns = 0;;) turns = turns + 1;
  }

  std::vector<pid_t> children_;
};

/// Seconds of processor time that this thread has used.
double thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// 50 us of work: time in which the thread does not run does not count.
void work(TypeId, std::span<const ConstTile>, const Tile&) {
  const double end = thread_time() + 50e-6;
  while (thread_time() < end) continue;
}

/// What a user would pick instead, as far as it is there: ratios refer to the slower of the two.
bool is_rival(const Contender& contender) {
  return contender.system->name == "openmp" || contender.system->name == "taskflow";
}

void print(const EmptyGraph& graph, unsigned workers, const std::vector<Contender>& contenders,
           const std::vector<Samples>& all) {
  std::cout << fmt::format("\n{} ({} tasks of 50 us), {}, under load: ms\n", graph.name,
                           graph.problem.graph.task_count(), report::format_count(workers, "worker"));
  double median = 0;
  double late = 0;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!is_rival(contenders[i])) continue;
    median = std::max(median, all[i].median());
    late = std::max(late, all[i].quantile(0.95));
  }
  const auto ratio = [](double value, double rival) { return rival > 0 ? fmt::format("{:.2f}", value / rival) : ""; };
  using report::Align;
  report::TextTable table({{"system"},
                           {"median", Align::right},
                           {"95 %", Align::right},
                           {"median / slower rival", Align::right},
                           {"95 % / slower rival", Align::right}});
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const double own = all[i].median();
    const double own_late = all[i].quantile(0.95);
    table.add_row({contenders[i].name(), fmt::format("{:.1f}", own), fmt::format("{:.1f}", own_late),
                   ratio(own, median), ratio(own_late, late)});
  }
  std::cout << table.text() << std::flush;
}

}  // namespace

void measure_loaded(const Settings& settings, const std::vector<Contender>& contenders) {
  const unsigned workers = *std::ranges::max_element(settings.workers);
  const BusyProcesses busy(2 * std::max(1U, std::thread::hardware_concurrency()));
  for (EmptyGraph& graph : small_graphs()) {
    if (!settings.graphs.empty() && std::ranges::find(settings.graphs, graph.name) == settings.graphs.end()) continue;
    std::vector<Samples> all(contenders.size());
    graph.problem.body = work;
    for (std::size_t repetition = 0; repetition < settings.repetitions; ++repetition) {
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        const auto session = contenders[i].start(graph.problem, workers);
        session->run();  // which warms up
        all[i].add(session->run() * 1e3);
      }
    }
    print(graph, workers, contenders, all);
  }
}

}  // namespace heddle::bench
