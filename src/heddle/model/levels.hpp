#pragma once

#include <cstdint>

#include "heddle/model/instance.hpp"

namespace heddle {

/// The weight of a task in a rank: its smallest duration over the classes, or the exact mean of its durations over the
/// workers that can run it.
enum class Rank : std::uint8_t { min, avg };

/// Bottom levels by estimates: the largest sum of weights over the paths that start at the task, the task included. For
/// `min` they are picoseconds; for `avg` only their order (and equality) means anything, since means are fractions:
/// they are scaled to a common denominator. Throws InputError when the denominators are too many for 64 bits.
[[nodiscard]] Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank);

/// The longest path when each task takes its smallest actual duration; its tasks in order.
struct CriticalPath {
  Time length = 0;
  std::vector<TaskId> tasks;
};
[[nodiscard]] CriticalPath critical_path(const Instance& instance);

}  // namespace heddle
