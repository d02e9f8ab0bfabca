#include "heddle/policy/worker_queues.hpp"

#include <algorithm>
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
}

void WorkerQueues::push(WorkerId worker, TaskId task, Time estimate, std::int64_t key) {
  Queue& queue = queues_[worker];
  queue.heap.push_back({key, task, estimate});
  std::push_heap(queue.heap.begin(), queue.heap.end(), kLater);
  queue.work += estimate;
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

Action WorkerQueues::serve(const View& view) {
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    Queue& queue = queues_[worker];
    if (queue.heap.empty()) return false;
    std::pop_heap(queue.heap.begin(), queue.heap.end(), kLater);
    const Item item = queue.heap.back();
    queue.heap.pop_back();
    queue.work -= item.estimate;
    action = run(item.task, worker);
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
  return orphans;
}

}  // namespace heddle::policy
