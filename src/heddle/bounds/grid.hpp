#pragma once

#include "heddle/model/instance.hpp"
#include "heddle/model/time.hpp"

namespace heddle::bounds {

/// The largest number of picoseconds of which all actual durations on classes with workers are multiples; 0 when there
/// is none, as no task takes time. In a schedule without transfers and without a worker that waits for no reason, each
/// task starts at 0 or when another one ends, so that its makespan is a multiple, too; and such a schedule is among the
/// shortest ones. Time O(tasks x classes).
[[nodiscard]] Time duration_grid(const Instance& instance);

/// The smallest multiple of `grid` that is not below `value`; `value` itself without a grid, or when the multiple would
/// not be a time. `value` is not negative.
[[nodiscard]] Time round_up(Time value, Time grid);

}  // namespace heddle::bounds
