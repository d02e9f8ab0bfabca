#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/bounds/linked_area.hpp"
#include "heddle/bounds/linked_path.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/paje.hpp"
#include "heddle/report/run_csv.hpp"
#include "heddle/report/trace_events.hpp"

namespace heddle::cli {
namespace {

KnownBounds known_bounds(const Instance& instance, const std::string& kinds) {
  KnownBounds known{.kinds = compute_bounds(instance, bounds::parse_kinds(kinds, instance)), .linked = {}};
  if (known.kinds.best_kind()) {
    known.linked = bounds::linked_path_bound(instance);
    std::optional<bounds::Bound> area = bounds::linked_area_bound(instance);
    if (area && (!known.linked || area->value > known.linked->value)) {
      known.linked = std::move(area);
      known.linked_kind = "linked area";
    }
  }
  check_interrupt();
  return known;
}

/// With --json, the number of attempts is the limit, and the answer the same in every run.
std::optional<judge::WhatIf> simulate_changes(const AnalyzeOptions& options, const files::LoadedRun& run,
                                              const judge::Diagnosis& diagnosis, const analysis::Recording& recording) {
  constexpr std::uint64_t kAttempts = 1'000'000;
  if (options.what_if_time == "0") return std::nullopt;
  const Countdown countdown(parse_seconds("--what-if-time", options.what_if_time));
  Progress progress("changes", 1);
  judge::WhatIfOptions limits;
  if (options.json) limits.attempts = kAttempts;
  limits.stop = [&] {
    check_interrupt();
    progress.show(countdown.part(), fmt::format("{:.0f} s", countdown.elapsed()));
    return !options.json && countdown.over();
  };
  return judge::what_if(run.loaded.instance, run.schedule, diagnosis, recording, limits);
}

/// A run with all that is known of it, at a place of its own: what is known points to the run.
class Analysis {
 public:
  Analysis(files::LoadedRun run, const AnalyzeOptions& options, bool simulates)
      : run_(std::move(run)),
        recording_{.has_transfers = run_.has_transfers, .submitted = run_.submitted},
        bounds_(known_bounds(run_.loaded.instance, options.bound)),
        diagnosis_(judge::diagnose(run_.loaded.instance, run_.schedule, bounds_.best(), recording_)) {
    if (simulates) what_if_ = simulate_changes(options, run_, diagnosis_, recording_);
  }
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;
  ~Analysis() = default;

  [[nodiscard]] DiagnosedRun diagnosed() const { return {run_, bounds_, diagnosis_, what_if_}; }

 private:
  files::LoadedRun run_;
  analysis::Recording recording_;
  KnownBounds bounds_;
  judge::Diagnosis diagnosis_;
  std::optional<judge::WhatIf> what_if_;
};

/// A way to write a run for other programs.
struct Trace {
  const char* option;
  std::string AnalyzeOptions::* path;
  std::string (*write)(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses);
};
constexpr std::array kTraces{Trace{"--perfetto", &AnalyzeOptions::perfetto, report::trace_events},
                             Trace{"--paje", &AnalyzeOptions::paje, report::paje_trace},
                             Trace{"--csv", &AnalyzeOptions::csv, report::run_csv}};

void expect_no_traces(const AnalyzeOptions& options) {
  for (const Trace& trace : kTraces) {
    if (!(options.*trace.path).empty()) throw InputError(std::string(trace.option) + " writes one run; found two");
  }
}

void write_traces(const AnalyzeOptions& options, const DiagnosedRun& diagnosed) {
  for (const Trace& trace : kTraces) {
    const std::string& path = options.*trace.path;
    if (path.empty()) continue;
    write_output(path, trace.write(diagnosed.instance(), diagnosed.run.schedule, diagnosed.diagnosis.losses));
    if (!options.json && path != "-") fmt::print("\n{}: {}\n", trace.option + 2, path);
  }
}

}  // namespace

int analyze(const AnalyzeOptions& options) {
  check_outputs(
      {{"--html", options.html}, {"--perfetto", options.perfetto}, {"--paje", options.paje}, {"--csv", options.csv}},
      options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  if (options.what_if_time != "0") static_cast<void>(parse_seconds("--what-if-time", options.what_if_time));
  std::vector<files::LoadedRun> runs = input::load_runs(options.run, options.input);
  const bool is_one = runs.size() == 1;
  if (!is_one) expect_no_traces(options);
  std::list<Analysis> analyses;
  std::vector<DiagnosedRun> diagnosed;
  for (files::LoadedRun& run : runs) {
    diagnosed.push_back(analyses.emplace_back(std::move(run), options, is_one).diagnosed());
  }
  if (options.json) {
    print_json(is_one ? json_diagnosed(diagnosed[0]) : json_difference(diagnosed[0], diagnosed[1]));
  } else if (is_one) {
    print_diagnosed(diagnosed[0]);
  } else {
    print_difference(diagnosed[0], diagnosed[1]);
  }
  if (is_one) write_traces(options, diagnosed[0]);
  if (options.html.empty()) return 0;
  write_output(options.html, page_of(diagnosed, origin));
  if (!options.json && options.html != "-") fmt::print("\npage: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
