#pragma once

#include <span>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle {

/// An instance of some tasks of a whole one, with numbers of their own: what a policy sees that begins in the middle of
/// a run, or that knows a part of it.
struct Projection {
  Instance instance;
  std::vector<TaskId> whole;   ///< by number here: the number in the whole
  Table<TaskId, TaskId> here;  ///< by number in the whole: the number here; kNone where the task is left out
};

/// `tasks`: in increasing order, with their names, data, durations and contexts; types and data keep their numbers.
/// Dependencies on tasks that are left out are, too.
[[nodiscard]] Projection project(const Instance& whole, std::vector<TaskId> tasks);
/// The same of some workers, ascending (Platform::restricted), without contexts. The tasks that are left out may not be
/// done: tasks that wait for each other by way of those still do so where they share data, as accesses imply it.
/// Throws InputError when one of the tasks can run on none of the workers.
[[nodiscard]] Projection project(const Instance& whole, std::vector<TaskId> tasks, std::span<const WorkerId> workers);

}  // namespace heddle
