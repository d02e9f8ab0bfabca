#include "heddle/host/ready_tracker.hpp"

namespace heddle::host {

ReadyTracker::ReadyTracker(const TaskGraph& graph) : commuting_(graph) {
  unmet_.reserve(graph.task_count());
  for (const TaskId task : graph.tasks()) {
    unmet_.push_back(static_cast<std::uint32_t>(graph.predecessors(task).size()));
  }
}

}  // namespace heddle::host
