#include "heddle/host/ready_tracker.hpp"

namespace heddle::host {

ReadyTracker::ReadyTracker(const TaskGraph& graph) : commuting_(graph), takes_turns_(!commuting_.trivial()) {
  unmet_.reserve(graph.task_count());
  for (const TaskId task : graph.tasks()) {
    unmet_.push_back(static_cast<std::uint32_t>(graph.predecessors(task).size()));
  }
}

/// Keeps those that get what they commute on, in their order.
void ReadyTracker::settle_batch(const TaskGraph& graph) {
  if (takes_turns_) {
    commuting_.settle(graph, completed_, batch_);
    completed_.clear();
  } else {
    std::ranges::sort(batch_);
  }
}

}  // namespace heddle::host
