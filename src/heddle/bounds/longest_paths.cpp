#include "heddle/bounds/longest_paths.hpp"

#include <algorithm>

namespace heddle::bounds {

LongestPaths::LongestPaths(const TaskGraph& graph, const Table<TaskId, double>& duration)
    : graph_(graph), duration_(duration), top_(graph.task_count(), 0.0), bottom_(graph.task_count(), 0.0) {
  const auto order = graph.topological_order();
  for (const TaskId task : order) {
    for (const TaskId p : graph.predecessors(task)) top_[task] = std::max(top_[task], top_[p] + duration[p]);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    double below = 0;
    for (const TaskId s : graph.successors(order[i])) below = std::max(below, bottom_[s]);
    bottom_[order[i]] = below + duration[order[i]];
    longest_ = std::max(longest_, bottom_[order[i]]);
  }
}

std::vector<TaskId> LongestPaths::path(TaskId through) const {
  const auto end_of = [&](TaskId task) { return top_[task] + duration_[task]; };
  std::vector<TaskId> path{through};
  for (auto before = graph_.predecessors(through); !before.empty(); before = graph_.predecessors(path.back())) {
    path.push_back(*std::ranges::max_element(before, {}, end_of));
  }
  std::ranges::reverse(path);
  for (auto after = graph_.successors(through); !after.empty(); after = graph_.successors(path.back())) {
    path.push_back(*std::ranges::max_element(after, {}, [&](TaskId task) { return bottom_[task]; }));
  }
  return path;
}

}  // namespace heddle::bounds
