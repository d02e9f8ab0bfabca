#pragma once

#include <vector>

#include "heddle/analysis/intervals.hpp"
#include "heddle/analysis/recording.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// When tasks of a valid schedule could have run and did not.
///
/// A task is ready while it is submitted, its predecessors have completed, no attempt of it runs, it has not completed,
/// and no attempt runs of a task that commutes with it on a datum.
struct ReadyTimes {
  /// By class: when some task is ready that the class can run.
  Table<ClassId, Intervals> ready;
  /// When no attempt runs and no task is ready.
  Intervals stalled;
};

/// O(n log n + edges + n classes) for n attempts; where tasks commute on several data, each attempt of one adds the
/// number of different sets of data that share one with its own.
[[nodiscard]] ReadyTimes ready_times(const Instance& instance, const Schedule& schedule, const Recording& recording);

/// By attempt: since when its task waited for a worker. That is when the task was submitted and its last predecessor
/// had completed, or when the attempt of it before this one ended. O(n log n + edges).
[[nodiscard]] std::vector<Time> waits_since(const Instance& instance, const Schedule& schedule,
                                            const Recording& recording);

}  // namespace heddle::analysis
