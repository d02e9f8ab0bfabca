#include "heddle/policy/kit/queues/worker_queues.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace heddle::policy {

void WorkerQueues::reset(const View& view, std::shared_ptr<const TaskOrder> order) {
  order_ = std::move(order);
  queues_.assign(view.platform().worker_count(), {});
  if (order_) {
    for (Queue& queue : queues_) queue.places = PlaceSet(order_->size());
  }
  load_.assign(queues_.size(), 0);
  work_.assign(order_ ? order_->size() : 0, 0);
  unassigned_.clear();
  prefetches_ = {};
}

/// Makes it the first; those before it come later by one place.
void WorkerQueues::bring_forward(Queue& queue, TaskId task) {
  const std::span<Item> items = queue.arrived.items();
  const auto place = std::ranges::find(items, task, &Item::task);
  std::rotate(items.begin(), place, place + 1);
}

template <class Look>
void WorkerQueues::visit(const Queue& queue, Look&& look) const {
  if (order_) {
    for (std::uint32_t place = queue.places.first(); place != PlaceSet::kNothing; place = queue.places.next(place)) {
      if (!look(order_->task(place))) return;
    }
  } else {
    for (const Item& item : queue.arrived.items()) {
      if (!look(item.task)) return;
    }
  }
}

WorkerId WorkerQueues::earliest_free(const View& view, ClassId c) const {
  WorkerId earliest = kNone<WorkerId>;
  Time least = kMaxTime;
  for (const WorkerId worker : view.platform().workers(c)) {
    if (!view.is_available(worker)) continue;
    const Time free = expected_free(view, worker);
    if (free >= least) continue;
    earliest = worker;
    least = free;
  }
  return earliest;
}

TaskId WorkerQueues::nearest(const View& view, WorkerId worker, const Table<TaskId, std::int64_t>& urgency,
                             Time wait) const {
  const Queue& queue = queues_[worker];
  const TaskId front = first(queue);
  const MemoryId memory = view.memory_of(worker);
  const ClassId c = view.platform().class_of(worker);
  const auto missing = [&](TaskId task) {
    return std::pair(view.absent_bytes(task, memory), view.missing_bytes(task, memory));
  };
  TaskId nearest = front;
  std::pair least = missing(front);
  visit(queue, [&](TaskId task) {
    if (urgency[task] < urgency[front]) {
      if (wait == 0) return order_ == nullptr;
      if (view.estimate(task, c) > wait) return true;
    }
    const std::pair bytes = missing(task);
    if (bytes < least) nearest = task, least = bytes;
    return least > std::pair(std::int64_t{0}, std::int64_t{0});
  });
  return nearest;
}

std::vector<TaskId> WorkerQueues::take_unassigned(const View& view) {
  std::vector<TaskId> unassigned;
  for (const WorkerId worker : queues_.ids()) {
    if (view.is_available(worker)) continue;
    for (TaskId task = take_first(worker); task != kNone<TaskId>; task = take_first(worker)) unassigned.push_back(task);
  }
  std::ranges::sort(unassigned);
  unassigned.insert(unassigned.end(), unassigned_.begin(), unassigned_.end());
  unassigned_.clear();
  return unassigned;
}

}  // namespace heddle::policy
