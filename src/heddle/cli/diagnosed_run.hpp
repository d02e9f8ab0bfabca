#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "heddle/bounds/bounds.hpp"
#include "heddle/files/files.hpp"
#include "heddle/judge/diagnosis.hpp"
#include "heddle/judge/what_if.hpp"
#include "heddle/model/time.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/html_page.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// The lower bounds that the makespan is compared with.
struct KnownBounds {
  bounds::Bounds kinds;                      ///< with free transfers
  std::optional<judge::LinkedBound> linked;  ///< with links

  /// The largest; nothing when there is none.
  [[nodiscard]] std::optional<Time> best() const {
    if (!kinds.best_kind()) return std::nullopt;
    return std::max(kinds.best(), linked ? linked->value : 0);
  }
};

/// What is known of a run that was analyzed.
struct DiagnosedRun {
  const files::LoadedRun& run;
  const KnownBounds& bounds;
  const judge::Diagnosis& diagnosis;
  const std::optional<judge::WhatIf>& what_if;

  [[nodiscard]] const Instance& instance() const { return run.loaded.instance; }
  [[nodiscard]] Time makespan() const { return run.schedule.makespan(); }
  /// What the loss is, and what would help.
  [[nodiscard]] std::string verdict() const;
};

/// Makespan over a bound; nothing for a bound of 0.
[[nodiscard]] std::optional<double> ratio_to(Time bound, Time makespan);

/// On one screen; sentences are broken at `width`.
[[nodiscard]] std::string diagnosed_text(const DiagnosedRun& diagnosed, const report::TextStyle& style,
                                         std::size_t width);
/// The answer of `analyze --json`.
[[nodiscard]] nlohmann::ordered_json json_diagnosed(const DiagnosedRun& diagnosed);

/// How well the simulator knows the run, in a sentence; empty where it could not simulate it.
[[nodiscard]] std::string describe_model(const judge::WhatIf& what_if, const report::TimeFormat& time);
/// How many workers could leave without harm, in a sentence; empty if none can, or if the simulator cannot tell.
[[nodiscard]] std::string describe_leaving(const judge::WhatIf& what_if, const Platform& platform);
/// How much data the memories held at most, in a sentence; empty if that is not known.
[[nodiscard]] std::string describe_peaks(const judge::Diagnosis& diagnosis, const Platform& platform,
                                         const report::TimeFormat& time);
/// The change, and the policy that decided where its name does not say it.
[[nodiscard]] std::string describe_change(const judge::Change& change);

/// The page of `analyze --html`, of one run or of several.
[[nodiscard]] std::string page_of(std::span<const DiagnosedRun> runs, const report::Origin& origin);

/// What changed from one run to another: cause by cause, and kernel by kernel.
void print_difference(const DiagnosedRun& before, const DiagnosedRun& after);
[[nodiscard]] nlohmann::ordered_json json_difference(const DiagnosedRun& before, const DiagnosedRun& after);

}  // namespace heddle::cli
