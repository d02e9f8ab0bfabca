#include "heddle/cli/analyzed_run.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"

namespace heddle::cli {
namespace {

void check(const std::function<bool()>& stop) {
  if (stop()) throw Interrupted();
}

KnownBounds known_bounds(const Instance& instance, const std::string& kinds, const std::function<bool()>& stop) {
  KnownBounds known{.kinds = compute_bounds(instance, bounds::parse_kinds(kinds, instance), {}, stop), .linked = {}};
  if (known.kinds.best_kind()) known.linked = judge::linked_bound(instance);
  check(stop);
  return known;
}

std::optional<judge::WhatIf> simulate_changes(const AnalyzeOptions& options, const files::LoadedRun& run,
                                              const judge::Diagnosis& diagnosis, const analysis::Recording& recording,
                                              const std::function<bool()>& stop) {
  constexpr std::uint64_t kAttempts = 1'000'000;
  if (options.what_if_time == "0") return std::nullopt;
  const Countdown countdown(parse_seconds("--what-if-time", options.what_if_time));
  Progress progress("changes", 1);
  judge::WhatIfOptions limits;
  if (options.json) limits.attempts = kAttempts;
  limits.stop = [&] {
    check(stop);
    progress.show(countdown.part(), fmt::format("{:.0f} s", countdown.elapsed()));
    return !options.json && countdown.over();
  };
  return judge::what_if(run.loaded.instance, run.schedule, diagnosis, recording, limits);
}

}  // namespace

AnalyzedRun::AnalyzedRun(files::LoadedRun run, const AnalyzeOptions& options, bool simulates,
                         const std::function<bool()>& stop)
    : run_(std::move(run)),
      recording_{.has_transfers = run_.has_transfers, .submitted = run_.submitted},
      bounds_(known_bounds(run_.loaded.instance, options.bound, stop)),
      diagnosis_(judge::diagnose(run_.loaded.instance, run_.schedule, bounds_.best(), recording_)) {
  if (simulates) what_if_ = simulate_changes(options, run_, diagnosis_, recording_, stop);
}

}  // namespace heddle::cli
