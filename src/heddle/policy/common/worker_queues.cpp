#include "heddle/policy/common/worker_queues.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::policy {
namespace {

/// For the standard heap, whose top is the largest: later items come "before" earlier ones.
constexpr auto kLater = [](const auto& a, const auto& b) {
  return std::pair(a.key, a.task) > std::pair(b.key, b.task);
};

}  // namespace

void WorkerQueues::reset(const View& view) {
  queues_.assign(view.platform().worker_count(), {});
  homeless_.clear();
  prefetches_ = {};
}

void WorkerQueues::push(const View& view, WorkerId worker, TaskId task, Time estimate, Time transfer,
                        std::int64_t key) {
  Queue& queue = queues_[worker];
  queue.heap.push_back({key, task, estimate + transfer});
  std::push_heap(queue.heap.begin(), queue.heap.end(), kLater);
  queue.work += estimate + transfer;
  prefetches_.add(view, task, worker);
}

TaskId WorkerQueues::take(Queue& queue, std::vector<Item>::iterator item) {
  const Item taken = *item;
  queue.work -= taken.work;
  if (item == queue.heap.begin()) {
    std::pop_heap(queue.heap.begin(), queue.heap.end(), kLater);
    queue.heap.pop_back();
  } else {
    *item = queue.heap.back();
    queue.heap.pop_back();
    std::make_heap(queue.heap.begin(), queue.heap.end(), kLater);
  }
  return taken.task;
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

Action WorkerQueues::serve_nearest(const View& view, const Table<TaskId, std::int64_t>& urgency) {
  if (prefetches_.are_left()) return prefetches_.next();
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    Queue& queue = queues_[worker];
    if (queue.heap.empty()) return false;
    const std::int64_t least_urgent = urgency[queue.heap.front().task];
    const auto cost = [&](const Item& item) {
      const MemoryId memory = view.memory_of(worker);
      return std::tuple(view.absent_bytes(item.task, memory), view.missing_bytes(item.task, memory), item.key,
                        item.task);
    };
    auto nearest = queue.heap.begin();
    for (auto item = queue.heap.begin(); item != queue.heap.end(); ++item) {
      if (urgency[item->task] >= least_urgent && cost(*item) < cost(*nearest)) nearest = item;
    }
    action = run(take(queue, nearest), worker);
    return true;
  });
  return action;
}

std::vector<TaskId> WorkerQueues::take_orphans(const View& view) {
  std::vector<TaskId> orphans;
  for (const WorkerId worker : queues_.ids()) {
    if (view.is_available(worker)) continue;
    for (const Item& item : queues_[worker].heap) orphans.push_back(item.task);
    queues_[worker] = {};
  }
  std::ranges::sort(orphans);
  orphans.insert(orphans.end(), homeless_.begin(), homeless_.end());
  homeless_.clear();
  return orphans;
}

}  // namespace heddle::policy
