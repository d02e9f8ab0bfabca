#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "heddle/bounds/linked_path.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"

namespace heddle::cli {
namespace {

KnownBounds known_bounds(const Instance& instance, const std::string& kinds) {
  KnownBounds known{compute_bounds(instance, bounds::parse_kinds(kinds, instance)), {}};
  if (known.kinds.best_kind()) known.linked = bounds::linked_path_bound(instance);
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

}  // namespace

int analyze(const AnalyzeOptions& options) {
  if (options.what_if_time != "0") static_cast<void>(parse_seconds("--what-if-time", options.what_if_time));
  const files::LoadedRun run = input::load_run(options.run, options.input);
  const Instance& instance = run.loaded.instance;
  const KnownBounds bounds = known_bounds(instance, options.bound);
  const analysis::Recording recording{.has_transfers = run.has_transfers, .submitted = run.submitted};
  const judge::Diagnosis diagnosis = judge::diagnose(instance, run.schedule, bounds.best(), recording);
  const std::optional<judge::WhatIf> what_if = simulate_changes(options, run, diagnosis, recording);
  const DiagnosedRun diagnosed{run, bounds, diagnosis, what_if};
  if (options.json) {
    print_json(json_diagnosed(diagnosed));
  } else {
    print_diagnosed(diagnosed);
  }
  return 0;
}

}  // namespace heddle::cli
