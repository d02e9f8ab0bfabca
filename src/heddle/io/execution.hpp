#pragma once

#include <cstddef>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::io {

/// A run that another program recorded: what happened, on the instance that it shows.
struct Execution {
  Instance instance;
  Schedule schedule;
  Table<TaskId, Time> submitted{};  ///< when the program submitted each task; empty: not known
  /// Tasks that some class of workers cannot take because it ran none of their type.
  std::size_t confined = 0;
};

/// What the readers of executions share. Attempts are those of the tasks, in their order.

/// An attempt ends no later than a successor starts, and not before its own start.
void end_before_successors(const TaskGraph& graph, std::vector<Attempt>& by_task);
/// The same of the next attempt on its worker.
void end_before_next(std::size_t workers, std::vector<Attempt>& by_task);

/// The mean duration of a type's tasks on each class, or on the classes with the same number in `kinds`, whose workers
/// are alike; kCannotRun where none ran.
[[nodiscard]] Costs seen_costs(const TaskGraph& graph, const Table<ClassId, std::size_t>& kinds,
                               const Platform& platform, const std::vector<Attempt>& by_task);
/// The same where no two classes are alike.
[[nodiscard]] Costs seen_costs(const TaskGraph& graph, const Platform& platform, const std::vector<Attempt>& by_task);

/// Makes the attempts the schedule of the execution, whose instance is made already: each task takes on the class that
/// ran it what it took. Counts the confined tasks.
void take_attempts(Execution& execution, std::vector<Attempt> by_task);

}  // namespace heddle::io
