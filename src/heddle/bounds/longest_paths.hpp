#pragma once

#include <vector>

#include "heddle/model/task_graph.hpp"

namespace heddle::bounds {

/// The longest paths of a graph whose tasks take the given picoseconds; both must outlive it. Time O(tasks + edges).
class LongestPaths {
 public:
  LongestPaths(const TaskGraph& graph, const Table<TaskId, double>& duration);
  LongestPaths(const TaskGraph& graph, Table<TaskId, double>&& duration) = delete;

  [[nodiscard]] IdRange<TaskId> tasks() const { return graph_.tasks(); }
  /// Of the paths through a task, the task included.
  [[nodiscard]] double length(TaskId task) const { return top_[task] + bottom_[task]; }
  /// Of all; 0 when there is no task.
  [[nodiscard]] double longest() const { return longest_; }
  /// One of the longest through a task, in order.
  [[nodiscard]] std::vector<TaskId> path(TaskId through) const;

 private:
  const TaskGraph& graph_;
  const Table<TaskId, double>& duration_;
  Table<TaskId, double> top_;     ///< the longest way to the task's start
  Table<TaskId, double> bottom_;  ///< and from its start to the end
  double longest_ = 0;
};

}  // namespace heddle::bounds
