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
  /// When the task should start: in the order of submission, but before what waits for it (as the modified deadlines of
  /// Garey and Johnson 1976, doi:10.1145/321958.321967). By bottom levels tasks run ahead of the program in as many
  /// places as there are paths, and find less in the caches.
  due,
  hint_first,  ///< the application's; its equals by bottom level
};
[[nodiscard]] Priority chosen_priority(const Options& options);
[[nodiscard]] Table<TaskId, std::int64_t> priorities(const View& view, Priority priority);

}  // namespace heddle::policy
