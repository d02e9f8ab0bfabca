#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "heddle/cli/commands.hpp"
#include "heddle/files/files.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// When to stop, as the options say.
struct SearchLimits {
  Countdown time;                      ///< all in all
  Countdown search_time;               ///< until the search has to be done
  std::optional<std::uint64_t> count;  ///< of moves, and of nodes
  double gap = 0;
};

/// What the options say, from now on. With a proof to come, the search gets what makes a good start for it, and the
/// proof the rest. Throws InputError.
[[nodiscard]] SearchLimits search_limits(const SearchOptions& options);

/// What was found, and how.
struct Found {
  Schedule schedule;
  std::string start;        ///< the shortest of the schedules that it began with
  Time start_makespan = 0;  ///< of that
  std::size_t starts = 0;   ///< how many there were
  Time lower_bound = 0;     ///< 0 where none was computed, too
  std::uint64_t moves = 0;
  double before_moves = 0;  ///< seconds
  double moving = 0;        ///< seconds
  std::uint64_t nodes = 0;
  double seconds = 0;

  [[nodiscard]] double moves_per_second() const { return moving > 0 ? static_cast<double>(moves) / moving : 0; }

  [[nodiscard]] bool optimal() const { return schedule.makespan() <= lower_bound; }
  /// Nothing where no bound says how far it may be.
  [[nodiscard]] std::optional<double> gap() const {
    if (lower_bound > 0) return to_seconds(schedule.makespan()) / to_seconds(lower_bound) - 1;
    return optimal() ? std::optional(0.0) : std::nullopt;
  }
};

/// The best schedule that a search found.
struct FoundSchedule {
  Found found;
  judge::Judged judged;
};

/// Searches as `heddle search` does, whatever the options say of outputs. `stop`: asked often, by several threads; when
/// it says so, the search ends with the best that it has. Throws Interrupted when there is none yet. `loaded` must
/// outlive the result.
[[nodiscard]] FoundSchedule find_schedule(const files::LoadedInstance& loaded, const SearchOptions& options,
                                          const SearchLimits& limits, std::function<bool()> stop);
/// For people.
[[nodiscard]] std::string search_text(const Found& found, const judge::Judged& judged, const report::TextStyle& style);
/// The answer of `search --json`.
[[nodiscard]] nlohmann::ordered_json json_search(const Found& found, const judge::Judged& judged);

}  // namespace heddle::cli
