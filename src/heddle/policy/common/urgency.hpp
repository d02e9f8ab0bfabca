#pragma once

#include <cstdint>

#include "heddle/model/levels.hpp"
#include "heddle/model/options.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The options by which policies choose what makes a task urgent.
[[nodiscard]] Option rank_option();
[[nodiscard]] Option priority_option();

/// The rank chosen by rank_option().
[[nodiscard]] Rank chosen_rank(const Options& options);

/// What priority_option() chose. Larger is more urgent.
enum class Priority : std::uint8_t {
  bottom_level,  ///< with `min` ranks
  hint,          ///< the application's
  /// Due dates consistent with the dependencies (Lawler 1973, doi:10.1287/mnsc.19.5.544): those of the order of
  /// submission, earlier where what depends on a task is due. By bottom levels tasks run ahead of the program in as
  /// many places as there are paths, and find less in the caches.
  due,
};
[[nodiscard]] Priority chosen_priority(const Options& options);
[[nodiscard]] Table<TaskId, std::int64_t> priorities(const View& view, Priority priority);

}  // namespace heddle::policy
