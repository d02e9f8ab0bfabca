#include "heddle/policy/kit/queues/class_queues.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace heddle::policy {
namespace {

constexpr std::greater<> kSmallestOnTop;

std::size_t queue_count(const ClassOrder& order) {
  std::size_t count = 0;
  for (const std::uint32_t queue : order.queue_of_row) {
    if (queue != ClassOrder::kNever) count = std::max(count, std::size_t{queue} + 1);
  }
  return count;
}

}  // namespace

void ClassQueues::start(const View& view, Table<ClassId, ClassOrder> orders, Table<TaskId, std::int64_t> priorities) {
  ordering_ = std::make_shared<const Ordering>(Ordering{std::move(orders), std::move(priorities)});
  for (const ClassId c : view.platform().classes()) {
    const std::size_t count = queue_count(ordering_->orders[c]);
    queues_.push_back({.heaps = std::vector<std::vector<QueueKey>>(count),
                       .count = std::vector<std::uint32_t>(count),
                       .filled = std::vector<std::uint64_t>((count + 63) / 64)});
  }
  ready_.assign(view.graph().task_count(), false);
}

void ClassQueues::push(const View& view, TaskId task) {
  ready_[index(task)] = true;
  const QueueKey urgent_first = queue_key(0, ~priority(task), task);
  for (const ClassId c : queues_.ids()) {
    const std::uint32_t queue = queue_of(view, c, task);
    if (queue == ClassOrder::kNever) continue;
    Queues& own = queues_[c];
    std::vector<QueueKey>& heap = own.heaps[queue];
    heap.push_back(ordering_->orders[c].urgent_first ? urgent_first : ~urgent_first);
    std::push_heap(heap.begin(), heap.end(), kSmallestOnTop);
    if (own.count[queue]++ == 0) own.filled[queue / 64] |= std::uint64_t{1} << queue % 64;
  }
}

void ClassQueues::take(const View& view, TaskId task) {
  ready_[index(task)] = false;
  for (const ClassId c : queues_.ids()) {
    const std::uint32_t queue = queue_of(view, c, task);
    if (queue == ClassOrder::kNever) continue;
    Queues& own = queues_[c];
    if (--own.count[queue] > 0) continue;
    own.filled[queue / 64] &= ~(std::uint64_t{1} << queue % 64);
    own.heaps[queue].clear();
  }
}

TaskId ClassQueues::first(ClassId c, std::uint32_t queue) {
  std::vector<QueueKey>& heap = queues_[c].heaps[queue];
  for (;;) {
    const QueueKey top = heap.front();
    const TaskId task = task_of(ordering_->orders[c].urgent_first ? top : ~top);
    if (ready_[index(task)]) return task;
    std::pop_heap(heap.begin(), heap.end(), kSmallestOnTop);
    heap.pop_back();
  }
}

}  // namespace heddle::policy
