#include "heddle/host/commute_queue.hpp"

#include <algorithm>

namespace heddle::host {

CommuteQueue::CommuteQueue(const TaskGraph& graph) {
  for (const TaskId task : graph.tasks()) {
    for (const Access access : graph.accesses(task)) {
      if (access.mode != AccessMode::commute) continue;
      taken_.assign(graph.data_count(), false);
      return;
    }
  }
}

bool CommuteQueue::acquire(const TaskGraph& graph, TaskId task) {
  if (trivial()) return true;
  const auto wanted = [](Access access) { return access.mode == AccessMode::commute; };
  const auto accesses = graph.accesses(task);
  for (const Access access : accesses) {
    if (wanted(access) && taken_[access.data]) return false;
  }
  for (const Access access : accesses) {
    if (wanted(access)) taken_[access.data] = true;
  }
  return true;
}

void CommuteQueue::release(const TaskGraph& graph, TaskId task) {
  if (trivial()) return;
  for (const Access access : graph.accesses(task)) {
    if (access.mode == AccessMode::commute) taken_[access.data] = false;
  }
}

void CommuteQueue::settle(const TaskGraph& graph, const std::vector<TaskId>& completed, std::vector<TaskId>& released) {
  for (const TaskId task : completed) release(graph, task);
  waiting_.insert(waiting_.end(), released.begin(), released.end());
  std::ranges::sort(waiting_);
  released.clear();
  const auto still_waits = [&](TaskId task) {
    if (!acquire(graph, task)) return true;
    released.push_back(task);
    return false;
  };
  waiting_.erase(std::stable_partition(waiting_.begin(), waiting_.end(), still_waits), waiting_.end());
  std::ranges::sort(released);
}

}  // namespace heddle::host
