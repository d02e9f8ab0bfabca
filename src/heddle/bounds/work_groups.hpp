#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::bounds {

/// Tasks that no bound can tell apart: the same duration on every class, and the same label.
struct WorkGroup {
  std::uint32_t row = 0;  ///< a cost row with their durations
  std::uint32_t label = 0;
  std::int64_t tasks = 0;
};

/// The tasks of an instance by group: a program over groups has the size of the cost table instead of the graph's.
struct WorkGroups {
  std::vector<WorkGroup> groups;            ///< by durations, then label
  std::vector<std::uint32_t> group_of_row;  ///< by cost row; rows that no task uses have none
};

/// Groups the tasks by actual durations and by the label of their type; without labels all are 0.
[[nodiscard]] WorkGroups group_tasks(const Instance& instance, std::span<const std::uint32_t> label_of_type = {});

/// Groups of tasks that may be finer than those by durations; labels are free for the caller.
struct TaskGroups {
  std::vector<WorkGroup> groups;
  Table<TaskId, std::uint32_t> of;  ///< the group of each task
};

/// The groups by durations alone.
[[nodiscard]] TaskGroups group_by_durations(const Instance& instance);

}  // namespace heddle::bounds
