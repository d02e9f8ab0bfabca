#pragma once

#include <memory>

#include "heddle/policy/common/acceleration.hpp"
#include "heddle/policy/common/double_ended_queue.hpp"
#include "heddle/policy/common/queue_key.hpp"

namespace heddle::policy {

/// HeteroPrio's queue of ready tasks on two classes (Kumar 2017, algorithm 3): by descending acceleration factor; equal
/// factors by descending priority where the factor is at least 1, by ascending priority below; then by number. The GPU
/// takes the first, the CPU the last.
class AccelerationQueue {
 public:
  void start(const View& view, Table<TaskId, std::int64_t> priorities) {
    known_ = std::make_shared<const Known>(Known{std::move(priorities), AccelerationRanks(view.instance())});
  }

  void push(const View& view, TaskId task) {
    const std::uint32_t row = view.instance().costs.row(task);
    const std::int64_t priority = known_->priority[task];
    queue_.push(queue_key(known_->ranks.rank(row), known_->ranks.accelerated(row) ? ~priority : priority, task));
  }

  /// What the queue gives to a class; kNone when it is empty.
  [[nodiscard]] TaskId offered(ClassId c) {
    if (queue_.empty()) return kNone<TaskId>;
    return task_of(c == kGpu ? queue_.front() : queue_.back());
  }

  /// Removes what the queue gives to a class.
  void take(ClassId c) {
    if (c == kGpu) {
      queue_.pop_front();
    } else {
      queue_.pop_back();
    }
  }

  [[nodiscard]] std::int64_t priority(TaskId task) const { return known_->priority[task]; }
  /// Whether task a is the more urgent one: by priority, then by smaller number.
  [[nodiscard]] bool more_urgent(TaskId a, TaskId b) const {
    return priority(a) != priority(b) ? priority(a) > priority(b) : a < b;
  }
  /// The rank of a task's acceleration factor, 0 for the highest.
  [[nodiscard]] std::uint32_t acceleration_rank(const View& view, TaskId task) const {
    return known_->ranks.rank(view.instance().costs.row(task));
  }

 private:
  /// What never changes during a run; clones share it.
  struct Known {
    Table<TaskId, std::int64_t> priority;
    AccelerationRanks ranks;
  };

  std::shared_ptr<const Known> known_;
  DoubleEndedQueue<QueueKey> queue_;
};

}  // namespace heddle::policy
