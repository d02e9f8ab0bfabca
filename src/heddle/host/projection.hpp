#pragma once

#include <span>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::host {

/// An instance of some tasks of a whole one, with numbers of their own: what a policy sees that begins in the middle of
/// a run, or that knows a part of it. The others are taken to be done.
struct Projection {
  Instance instance;
  std::vector<TaskId> whole;   ///< by number here: the number in the whole
  Table<TaskId, TaskId> here;  ///< by number in the whole: the number here; kNone where the task is left out
};

/// `tasks`: in increasing order, with their names, data and durations; types and data keep their numbers. Dependencies
/// on tasks that are left out are, too.
[[nodiscard]] Projection project(const Instance& whole, std::vector<TaskId> tasks);

}  // namespace heddle::host
