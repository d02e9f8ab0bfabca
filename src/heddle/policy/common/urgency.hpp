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

/// What priority_option() chose: bottom levels with `min` ranks, or the application's hints. Larger is more urgent.
enum class Priority : std::uint8_t { bottom_level, hint };
[[nodiscard]] Priority chosen_priority(const Options& options);
[[nodiscard]] Table<TaskId, std::int64_t> priorities(const View& view, Priority priority);

}  // namespace heddle::policy
