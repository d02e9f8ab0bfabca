#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/policy/kit/queues/fifo.hpp"
#include "heddle/policy/kit/queues/prefetches.hpp"
#include "heddle/policy/kit/queues/task_order.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The queues in front of the workers, for policies that place a task as soon as it is ready: first in, first out, or
/// by an order of all tasks. Where data has to be moved, it is prefetched for what is placed.
class WorkerQueues {
 public:
  /// Empty queues; with an order, what comes first in it is served first.
  void reset(const View& view, std::shared_ptr<const TaskOrder> order = nullptr);

  /// `work`: for how long the task is expected to keep the worker, waiting for its data included.
  void push(const View& view, WorkerId worker, TaskId task, Time work) {
    Queue& queue = queues_[worker];
    if (order_) {
      queue.places.insert(order_->place(task));
      work_[task] = work;
    } else {
      queue.arrived.push_back({task, work});
    }
    load_[worker] += work;
    prefetches_.add(view, task, worker);
  }
  /// Whether serve() asks for prefetches next.
  [[nodiscard]] bool fetches() const { return prefetches_.are_left(); }
  /// Keeps a task that no available worker can run until workers come back.
  void keep(TaskId task) { unassigned_.push_back(task); }
  /// When the worker is expected to have done all it has: the running task and the whole queue.
  [[nodiscard]] Time expected_free(const View& view, WorkerId worker) const {
    return view.expected_end(worker) + load_[worker];
  }
  /// The worker of a class that is expected to be free first, ties to the smallest number; kNone when all have left.
  [[nodiscard]] WorkerId earliest_free(const View& view, ClassId c) const;
  /// The first task of an idle worker, in the service order, removed from its queue; wait() when all these are empty.
  /// Before, the prefetches for what was placed.
  [[nodiscard]] Action serve(const View& view) {
    return serve(view, [this](WorkerId worker) { return take_first(worker); });
  }
  /// As serve(), where data has to be moved, but of the tasks that may come before all others of the queue, the one
  /// that misses the fewest bytes in the worker's memory: those that are no less urgent than the first, and those that
  /// take no longer than the first can wait, `can_wait(first)`. An order, if there is one, descends by urgency.
  template <class CanWait>
  [[nodiscard]] Action serve_nearest(const View& view, const Table<TaskId, std::int64_t>& urgency, CanWait&& can_wait) {
    return serve(view, [&](WorkerId worker) {
      const TaskId front = first(queues_[worker]);
      if (front == kNone<TaskId>) return front;
      const TaskId task = nearest(view, worker, urgency, can_wait(front));
      take(worker, task);
      return task;
    });
  }
  /// Removes and returns what was placed on workers that are gone, then what was kept.
  [[nodiscard]] std::vector<TaskId> take_unassigned(const View& view);

 private:
  struct Item {
    TaskId task;
    Time work;
  };
  /// `arrived` without an order, `places` with one.
  struct Queue {
    Fifo<Item> arrived;
    PlaceSet places;
  };

  /// `take(worker)`: removes and returns a task of the worker's queue; kNone when it is empty.
  template <class Take>
  [[nodiscard]] Action serve(const View& view, Take&& take) {
    if (prefetches_.are_left()) return prefetches_.next();
    Action action = wait();
    view.visit_idle([&](WorkerId worker) {
      const TaskId task = take(worker);
      if (task == kNone<TaskId>) return false;
      action = run(task, worker);
      return true;
    });
    return action;
  }
  /// kNone when the queue is empty.
  [[nodiscard]] TaskId first(const Queue& queue) const {
    if (!order_) return queue.arrived.empty() ? kNone<TaskId> : queue.arrived.front().task;
    const std::uint32_t place = queue.places.first();
    return place == PlaceSet::kNothing ? kNone<TaskId> : order_->task(place);
  }
  /// Removes and returns the first of the worker's queue; kNone when it is empty.
  [[nodiscard]] TaskId take_first(WorkerId worker) {
    Queue& queue = queues_[worker];
    if (!order_) {
      if (queue.arrived.empty()) return kNone<TaskId>;
      const Item item = queue.arrived.front();
      load_[worker] -= item.work;
      queue.arrived.pop_front();
      return item.task;
    }
    const std::uint32_t place = queue.places.first();
    if (place == PlaceSet::kNothing) return kNone<TaskId>;
    const TaskId task = order_->task(place);
    load_[worker] -= work_[task];
    queue.places.erase(place);
    return task;
  }
  /// Removes a task that is in the worker's queue.
  void take(WorkerId worker, TaskId task) {
    Queue& queue = queues_[worker];
    if (order_) {
      load_[worker] -= work_[task];
      queue.places.erase(order_->place(task));
      return;
    }
    if (queue.arrived.front().task != task) bring_forward(queue, task);
    static_cast<void>(take_first(worker));
  }
  /// The task of a queue that is not empty which misses the fewest bytes, of those that may come before all others.
  [[nodiscard]] TaskId nearest(const View& view, WorkerId worker, const Table<TaskId, std::int64_t>& urgency,
                               Time wait) const;
  static void bring_forward(Queue& queue, TaskId task);
  /// Calls look(task) for those in the queue, in the order in which they are served, until it returns false.
  template <class Look>
  void visit(const Queue& queue, Look&& look) const;

  std::shared_ptr<const TaskOrder> order_;  ///< clones share it; null: first in, first out
  Table<WorkerId, Queue> queues_;
  Table<WorkerId, Time> load_;  ///< the work in the queue; apart, since many look at that of all workers
  Table<TaskId, Time> work_;    ///< of the tasks in queues by an order
  std::vector<TaskId> unassigned_;
  Prefetches prefetches_;
};

}  // namespace heddle::policy
