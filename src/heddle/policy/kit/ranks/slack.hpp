#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// How long tasks can wait without making the run longer, as far as can be told from lower bounds, on the estimates.
///
/// By the dual values of the area bound, time of a worker is worth so much of the makespan, by class. So what is left
/// to do takes the machine about as long as it is worth: tasks that were not placed on the class where they are worth
/// least, and what workers have to do. A task from which only a shorter path leads to the end of the graph has slack,
/// the difference; the tasks of the path share it evenly. No task of a graph that has no more tasks than there are
/// workers has any.
class Slack {
 public:
  /// Makespan, in units of 2^-30 picoseconds: sums are exact, so that their order does not matter.
  __extension__ using Cost = __int128;

  /// Time O(tasks + edges) and that of the area bound (bounds::area_duals).
  void start(const View& view);

  /// What so long on a worker of the class is worth. Only if a task has a share.
  [[nodiscard]] Cost cost(ClassId c, Time duration) const { return Cost{known_->duals[c]} * duration; }
  /// The same up to rounding, as what is on the border of the area bound costs on two classes.
  [[nodiscard]] static bool equal(Cost less, Cost more) { return more - less <= more >> 20; }
  /// From now on the task counts with what workers have to do. It may be told again.
  void place(const View& view, TaskId task);
  /// How long the task can wait: its part of the slack of its path. `free(worker)`: when the worker is expected to have
  /// done what it has. Time O(workers).
  template <class Free>
  [[nodiscard]] Time share(const View& view, TaskId task, Free&& free) const {
    if (known_ == nullptr) return 0;
    Cost left = unplaced_;
    for (const WorkerId worker : view.platform().workers()) {
      left += cost(view.platform().class_of(worker), free(worker) - view.now());
    }
    return share_of(task, left);
  }

 private:
  /// What does not change during a run.
  struct Known {
    Table<ClassId, std::int64_t> duals;  ///< units of cost for a picosecond
    Table<TaskId, std::int64_t> levels;  ///< bottom levels
    Table<TaskId, std::int64_t> tasks;   ///< on the longest path that begins with a task; the most of several
  };

  [[nodiscard]] Cost least_cost(const View& view, TaskId task) const;
  [[nodiscard]] Time share_of(TaskId task, Cost left) const;

  std::shared_ptr<const Known> known_;  ///< clones share it; null: no task has slack
  Cost unplaced_ = 0;                   ///< what tasks that were not placed cost at least
  std::vector<bool> placed_;            ///< by task
};

}  // namespace heddle::policy
