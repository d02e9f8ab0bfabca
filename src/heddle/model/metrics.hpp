#pragma once

#include <optional>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle {

/// How one class of workers spent the makespan.
struct ClassUse {
  TimeSum busy = 0;  ///< on completed attempts
  TimeSum idle = 0;  ///< the rest of workers x makespan: aborted work counts as idle (Kumar 2017, section 5.6)
  std::size_t tasks = 0;
  /// Two classes: the equivalent acceleration factor of the tasks completed here, sum of CPU durations over sum of GPU
  /// durations (Kumar 2017, section 5.6), the GPU being the class listed last; tasks that one of the two cannot run are
  /// left out. Other numbers of classes: mean slowdown, time spent here over time on each task's fastest class. By the
  /// instance's actual durations. Absent when there is nothing to divide.
  std::optional<double> acceleration;
};

[[nodiscard]] Table<ClassId, ClassUse> class_use(const Instance& instance, const Schedule& schedule);

/// How one context (Schedule::contexts) spent the makespan.
struct ContextUse {
  std::size_t tasks = 0;    ///< completed
  TimeSum busy = 0;         ///< on completed attempts of its tasks
  TimeSum idle = 0;         ///< of its workers, the rest of workers x makespan; what they did for others counts as idle
  Time first_start = 0;     ///< of a completed attempt; 0 when there is none
  Time end = 0;             ///< of the last completed attempt
  std::size_t aborted = 0;  ///< attempts
};

[[nodiscard]] Table<ContextId, ContextUse> context_use(const Schedule& schedule);

/// What the workers draw until the last task has ended (ResourceClass::watts), aborted and failed attempts included:
/// joules by class; absent where a class does not say.
[[nodiscard]] Table<ClassId, std::optional<double>> class_joules(const Instance& instance, const Schedule& schedule);
/// Their sum; absent unless every class that has workers says what they draw.
[[nodiscard]] std::optional<double> joules(const Platform& platform,
                                           const Table<ClassId, std::optional<double>>& by_class);

/// Idle time over the amount of the class that a lower bound's solution uses (Kumar 2017, section 5.6, figure 5.14),
/// per class; absent where the bound uses none. `bound_use`: picoseconds of work by class in the bound's solution.
[[nodiscard]] Table<ClassId, std::optional<double>> normalized_idle(const Table<ClassId, ClassUse>& use,
                                                                    const Table<ClassId, double>& bound_use);

/// Bytes copied between memories until the last task ended; where they pass 64 bits, the most that these hold.
[[nodiscard]] std::int64_t transferred_bytes(const Schedule& schedule);

/// Bytes that tasks wrote and that were not at home in the end: what it takes to write the results back, beside
/// transferred_bytes(). Zero on a platform without links.
[[nodiscard]] std::int64_t write_home_bytes(const Instance& instance, const Schedule& schedule);

}  // namespace heddle
