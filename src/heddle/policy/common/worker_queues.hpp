#pragma once

#include <cstdint>
#include <vector>

#include "heddle/policy/action.hpp"
#include "heddle/policy/common/prefetches.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The queues in front of the workers, for policies that place a task as soon as it is ready. Each queue serves the
/// smallest key first; equal keys by task number. Where data has to be moved, it is prefetched for what is placed.
class WorkerQueues {
 public:
  void reset(const View& view);

  void push(const View& view, WorkerId worker, TaskId task, Time estimate, std::int64_t key) {
    push(view, worker, task, estimate, 0, key);
  }
  /// `transfer`: for how long the worker is expected to wait for the task's data.
  void push(const View& view, WorkerId worker, TaskId task, Time estimate, Time transfer, std::int64_t key);
  /// Keeps a task that no available worker can run until workers come back.
  void keep(TaskId task) { homeless_.push_back(task); }
  /// When the worker is expected to have done all it has: the running task and the whole queue.
  [[nodiscard]] Time expected_free(const View& view, WorkerId worker) const {
    return view.expected_end(worker) + queues_[worker].work;
  }
  /// The worker of a class that is expected to be free first, ties to the smallest number; kNone when all have left.
  [[nodiscard]] WorkerId earliest_free(const View& view, ClassId c) const;
  /// The first task of an idle worker, in the service order, removed from its queue; wait() when all these are empty.
  /// Before, the prefetches for what was placed.
  [[nodiscard]] Action serve(const View& view) {
    if (prefetches_.are_left()) return prefetches_.next();
    Action action = wait();
    view.visit_idle([&](WorkerId worker) {
      Queue& queue = queues_[worker];
      if (queue.heap.empty()) return false;
      action = run(take(queue, queue.heap.begin()), worker);
      return true;
    });
    return action;
  }
  /// As serve(), where data has to be moved, but of the tasks that are no less urgent than the first of the queue, the
  /// one that misses the fewest bytes in the worker's memory.
  [[nodiscard]] Action serve_nearest(const View& view, const Table<TaskId, std::int64_t>& urgency);
  /// Removes and returns what was placed on workers that are gone, then what was kept.
  [[nodiscard]] std::vector<TaskId> take_orphans(const View& view);

 private:
  struct Item {
    std::int64_t key;
    TaskId task;
    Time work;
  };
  struct Queue {
    std::vector<Item> heap;
    Time work = 0;
  };

  [[nodiscard]] TaskId take(Queue& queue, std::vector<Item>::iterator item);

  Table<WorkerId, Queue> queues_;
  std::vector<TaskId> homeless_;
  Prefetches prefetches_;
};

}  // namespace heddle::policy
