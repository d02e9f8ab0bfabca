#include "heddle/policy/kit/queues/task_queue.hpp"

#include <algorithm>

namespace heddle::policy {

Kinds::Kinds(const Instance& instance) : classes_(instance.costs.class_count()) {
  for (std::uint32_t row = 0; row < instance.costs.row_count(); ++row) {
    std::vector<bool> runs(classes_);
    for (std::size_t c = 0; c < classes_; ++c) runs[c] = instance.costs.actual_row(row)[c] != kCannotRun;
    std::size_t kind = 0;
    const auto differs = [&] {
      return !std::equal(runs.begin(), runs.end(), runs_.begin() + static_cast<std::ptrdiff_t>(kind * classes_));
    };
    while (kind < count() && differs()) ++kind;
    if (kind == count()) runs_.insert(runs_.end(), runs.begin(), runs.end());
    kind_.push_back(kind);
  }
}

void TaskQueue::push(std::size_t kind, TaskId task, std::int64_t key) {
  heaps_[kind].push_back({key, task});
  std::push_heap(heaps_[kind].begin(), heaps_[kind].end());
}

TaskId TaskQueue::pop(const Kinds& kinds, ClassId c) {
  std::vector<Item>* first = nullptr;
  for (std::size_t kind = 0; kind < heaps_.size(); ++kind) {
    if (heaps_[kind].empty() || !kinds.can_run(kind, c)) continue;
    if (first == nullptr || first->front() < heaps_[kind].front()) first = &heaps_[kind];
  }
  if (first == nullptr) return kNone<TaskId>;
  std::pop_heap(first->begin(), first->end());
  const TaskId task = first->back().task;
  first->pop_back();
  return task;
}

std::size_t TaskQueue::count(const Kinds& kinds, ClassId c) const {
  std::size_t tasks = 0;
  for (std::size_t kind = 0; kind < heaps_.size(); ++kind) {
    if (kinds.can_run(kind, c)) tasks += heaps_[kind].size();
  }
  return tasks;
}

std::vector<TaskId> TaskQueue::take_all() {
  std::vector<TaskId> tasks;
  for (std::vector<Item>& heap : heaps_) {
    for (const Item& item : heap) tasks.push_back(item.task);
    heap.clear();
  }
  std::ranges::sort(tasks);
  return tasks;
}

}  // namespace heddle::policy
