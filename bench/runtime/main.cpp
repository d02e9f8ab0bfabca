// Task graphs on Heddle and on what users would pick instead, side by side in one run.
//
//   build/release/bin/heddle_bench_runtime [overhead] [loaded] [factorization] [contexts] [memory] [waves] [recursion]
//   [shapes]
//
// Never a timed test: other programs on the machine disturb it, so everything is repeated in turn, and medians (and the
// shortest times) are shown. Of one run the ratios travel, the times do not.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "contender.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"
#include "parts.hpp"

namespace {

using namespace heddle::bench;

/// Threads that want to run on this machine, mean of the last minute: more than are ours disturb.
double load() {
  double one_minute = 0;
  getloadavg(&one_minute, 1);
  return one_minute;
}

void measure(const Settings& settings, const std::vector<std::string>& parts) {
  const std::vector<System> all = systems();
  const std::vector<Contender> chosen = contenders(all, settings.contenders);
  for (const System& system : all) {
    if (system.start == nullptr) std::cout << "skipped: " << system.name << ": " << system.missing << "\n";
  }
  std::cout << fmt::format("load of the machine before: {:.1f}; {}\n", load(),
                           heddle::report::format_count(settings.repetitions, "repetition"));
  const auto wanted = [&](const char* part) { return parts.empty() || std::ranges::find(parts, part) != parts.end(); };
  if (wanted("memory")) measure_memory();  // forks: before there are threads
  if (wanted("waves")) measure_waves(settings);
  if (wanted("recursion")) measure_recursion(settings);
  if (wanted("shapes")) measure_shapes();
  if (wanted("overhead")) measure_overhead(settings, chosen);
  if (wanted("loaded")) measure_loaded(settings, chosen);
  if (wanted("factorization")) measure_factorization(settings, chosen);
  if (wanted("contexts")) measure_contexts(settings);
}

int run(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> parts;
  CLI::App app("Task graphs on Heddle and on other systems, side by side.");
  app.add_option("part", parts, "what to measure; default all")
      ->check(
          CLI::IsMember({"overhead", "loaded", "factorization", "contexts", "memory", "waves", "recursion", "shapes"}));
  app.add_option("--workers", settings.workers, "numbers of workers; loaded, factorization: the largest of them")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repetitions", settings.repetitions, "of everything, in turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--graphs", settings.graphs, "overhead, loaded: which; default all")
      ->delimiter(',')
      ->check(CLI::IsMember({"cholesky", "chain", "independent", "layered"}));
  app.add_option("--sizes", settings.sizes, "factorization: sides of the matrix")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--tasks", settings.tasks, "waves: how many")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--side", settings.side, "recursion: of the board")->check(CLI::Range(1, 16))->capture_default_str();
  app.add_option("--only", settings.contenders, "contenders whose name contains this; may be repeated");
  CLI11_PARSE(app, argc, argv);
  measure(settings, parts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const heddle::InputError& error) {
  std::cerr << "heddle_bench_runtime: " << error.what() << "\n";
  return 2;
} catch (const std::exception& error) {
  std::cerr << "heddle_bench_runtime: " << error.what() << "\n";
  return 1;
}
