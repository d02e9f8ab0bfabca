#pragma once

#include <cstdint>

#include "heddle/model/communication.hpp"
#include "heddle/model/instance.hpp"

namespace heddle {

/// The weight of a task in a rank: its smallest duration over the classes, or the exact mean of its durations over the
/// workers that can run it.
enum class Rank : std::uint8_t { min, avg };

/// Bottom levels by estimates: the largest sum of weights over the paths that start at the task, the task included. For
/// `min` they are picoseconds; for `avg` only their order (and equality) means anything, since means are fractions:
/// they are scaled to a common denominator. Throws InputError when the denominators are too many for 64 bits.
[[nodiscard]] Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank);

/// Bottom levels in which what a task sends weighs its mean duration (upward ranks of Topcuoglu et al. 2002, equation
/// 6); first reads weigh nothing. Only their order means anything, unless communication is free.
[[nodiscard]] Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank,
                                                        const Communication& communication);

/// The same for the longest path that goes through a task, from an entry to an exit of the graph (the sum of upward and
/// downward rank, section 4.2): largest for the tasks of the critical path. Only their order means anything.
[[nodiscard]] Table<TaskId, std::int64_t> longest_paths_through(const Instance& instance, Rank rank,
                                                                const Communication& communication);

/// The longest path when each task takes its smallest actual duration; its tasks in order.
struct CriticalPath {
  Time length = 0;
  std::vector<TaskId> tasks;
};
[[nodiscard]] CriticalPath critical_path(const Instance& instance);

}  // namespace heddle
