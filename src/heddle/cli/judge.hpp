#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/report/html_page.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::cli {

/// The kinds of bound that a --bound or --kind argument names: "default" is every kind that is quick for the instance,
/// then "all", "none" and the kinds themselves. Throws InputError.
[[nodiscard]] std::vector<bounds::Kind> parse_kinds(const std::string& text, const Instance& instance);

/// What an --aborts argument names, which is one of "allowed", "hold-back" and "none".
[[nodiscard]] host::Aborts parse_aborts(const std::string& text);

/// The bounds of these kinds, as far as that many seconds let them, with a bar while it takes long. When the user asks
/// to stop, it ends as if time had run out.
[[nodiscard]] bounds::Bounds compute_bounds(const Instance& instance, std::span<const bounds::Kind> kinds,
                                            std::optional<double> seconds = {});

/// The bounds as reports list them.
[[nodiscard]] std::vector<report::BoundLine> bound_lines(const bounds::Bounds& bounds);

/// One simulated schedule and how good it is.
struct Judged {
  std::unique_ptr<Schedule> schedule;
  report::ScheduleReport report;  ///< points to the instance and to `schedule`
  std::optional<bounds::Kind> best_kind;
  /// Idle time of each class over what the solution of the best bound uses of it; absent where it uses none.
  Table<ClassId, std::optional<double>> normalized_idle;
  std::string note;         ///< what the policy has to tell; mostly empty
  double wall_seconds = 0;  ///< from the first fact told to the policy to its last decision, engine included
};

/// The bound that the ratio refers to; null when there is none.
[[nodiscard]] const report::BoundLine* best_bound(const Judged& judged);

/// Judges a schedule, wherever it comes from. Throws InternalError when it is not valid.
[[nodiscard]] Judged judge(const Instance& instance, Schedule schedule, const bounds::Bounds& bounds,
                           Durations durations = Durations::exact);

/// Runs the policy and judges what it did; writes what it was told to the file `facts`, if there is one. Throws
/// InputError when it cannot take the instance, InternalError when the schedule is not valid.
[[nodiscard]] Judged judge(const Instance& instance, const policy::Spec& spec, const sim::Config& wanted,
                           const Schedule& plan, const bounds::Bounds& bounds, bool shows_progress = true,
                           const std::string& facts = "");

}  // namespace heddle::cli
