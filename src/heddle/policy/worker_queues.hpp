#pragma once

#include <cstdint>
#include <vector>

#include "heddle/policy/action.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The queues in front of the workers, for policies that place a task as soon as it is ready. Each queue serves the
/// smallest key first; equal keys by task number.
class WorkerQueues {
 public:
  void reset(const View& view);

  void push(WorkerId worker, TaskId task, Time estimate, std::int64_t key);
  /// When the worker is expected to have done all it has: the running task and the whole queue.
  [[nodiscard]] Time expected_free(const View& view, WorkerId worker) const {
    return view.expected_end(worker) + queues_[worker].work;
  }
  /// The worker of a class that is expected to be free first, ties to the smallest number; kNone when all have left.
  [[nodiscard]] WorkerId earliest_free(const View& view, ClassId c) const;
  /// The first task of an idle worker, in the service order, removed from its queue; wait() when all these are empty.
  [[nodiscard]] Action serve(const View& view);
  /// Removes and returns what was placed on workers that are gone.
  [[nodiscard]] std::vector<TaskId> take_orphans(const View& view);

 private:
  struct Item {
    std::int64_t key;
    TaskId task;
    Time estimate;
  };
  struct Queue {
    std::vector<Item> heap;
    Time work = 0;
  };

  Table<WorkerId, Queue> queues_;
};

}  // namespace heddle::policy
