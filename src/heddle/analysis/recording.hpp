#pragma once

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"

namespace heddle::analysis {

/// What is known of a run beside its schedule.
struct Recording {
  /// Whether the schedule has every copy between memories, and its workers lose no time between a task that can start
  /// and its start: true of what the simulator, the search and Heddle's runtime write, false of a recording of StarPU.
  bool has_transfers = true;
  /// When the program submitted each task, which cannot be ready before; empty: all tasks at the start.
  Table<TaskId, Time> submitted{};
};

}  // namespace heddle::analysis
