#pragma once

#include <utility>
#include <vector>

#include "heddle/analysis/losses.hpp"
#include "heddle/report/columns.hpp"

namespace heddle::report {

/// Why workers were idle and what each attempt waited for, for drawing: a few bytes an attempt, however idle the
/// workers were (Losses::held_up). Times are multiples of `unit` picoseconds.
struct PackedRun {
  Time unit = 1;
  std::vector<std::pair<MemoryId, MemoryId>> links;  ///< (from, to) of those that workers waited for, in order
  /// For each class, what an idle worker of it could do, from 0 on: (duration << 2 | 0: nothing is ready for it, 1: a
  /// task is, 2: nothing runs or is ready anywhere).
  std::vector<ByteColumn> states;
  /// Worker by worker: for how many spans its next task was held up, then for each: idle or busy time since the one
  /// before, duration, and 1 + the link, or 0 where the recording does not tell what for.
  ByteColumn held_up;
  /// By attempt, in the order of PackedSchedule::attempts: analysis::Wait + 4 x (0: waited for no attempt, 1: for the
  /// one before in this order, 2: for another one: then follows the difference of their positions, with a sign).
  ByteColumn waits;
};
/// On the grid; where that rounds nothing, nothing is rounded here either: tasks may be submitted between its instants.
[[nodiscard]] PackedRun pack_run(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses,
                                 Grid grid);

}  // namespace heddle::report
