#pragma once

#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::host {

/// Keeps tasks that commute on a datum apart. As a rule (settle) a task whose predecessors are done becomes ready only
/// when it gets all the data it commutes on, and keeps them until it completes; among those that wait, the smaller
/// number is served first. Policies need not know: what they are told is ready may run. For a policy that keeps to an
/// order of its own (Policy::keeps_order) that could wait for ever: there tasks take the data when they start.
class CommuteQueue {
 public:
  explicit CommuteQueue(const TaskGraph& graph);

  /// Whether no task commutes on anything, so that there is nothing to take.
  [[nodiscard]] bool trivial() const { return taken_.empty(); }
  /// Lets go of the data of the completed tasks, then moves to `released` the tasks that now get theirs and out of it
  /// those that must wait. Leaves it sorted.
  void settle(const TaskGraph& graph, const std::vector<TaskId>& completed, std::vector<TaskId>& released);

  /// Takes all the data that the task commutes on, or nothing; whether it did.
  [[nodiscard]] bool acquire(const TaskGraph& graph, TaskId task);
  void release(const TaskGraph& graph, TaskId task);

 private:
  Table<DataId, bool> taken_;
  std::vector<TaskId> waiting_;
};

}  // namespace heddle::host
