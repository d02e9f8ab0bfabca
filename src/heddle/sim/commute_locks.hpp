#pragma once

#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::sim {

/// Keeps tasks that commute on a datum apart. A task whose predecessors are done becomes ready only when it gets all
/// the data it commutes on, and keeps them until it completes; among those that wait, the smaller number is served
/// first. Policies need not know: what they are told is ready may run.
class CommuteLocks {
 public:
  explicit CommuteLocks(const TaskGraph& graph);

  /// Whether no task commutes on anything, so that there is nothing to lock.
  [[nodiscard]] bool trivial() const { return taken_.empty(); }
  /// Lets go of the data of the completed tasks, then moves to `released` the tasks that now get theirs and out of it
  /// those that must wait. Leaves it sorted.
  void settle(const TaskGraph& graph, const std::vector<TaskId>& completed, std::vector<TaskId>& released);

 private:
  [[nodiscard]] bool acquire(const TaskGraph& graph, TaskId task);

  Table<DataId, bool> taken_;
  std::vector<TaskId> waiting_;
};

}  // namespace heddle::sim
