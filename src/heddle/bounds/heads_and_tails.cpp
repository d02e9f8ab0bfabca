#include "heddle/bounds/heads_and_tails.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heddle/bounds/certificate.hpp"
#include "heddle/bounds/work_groups.hpp"
#include "heddle/bounds/work_program.hpp"

namespace heddle::bounds {
namespace {

/// The graph as it is, or with every edge turned round.
struct Direction {
  const TaskGraph& graph;
  bool forward;

  [[nodiscard]] std::span<const TaskId> before(TaskId task) const {
    return forward ? graph.predecessors(task) : graph.successors(task);
  }
  [[nodiscard]] std::vector<TaskId> order() const {
    const auto order = graph.topological_order();
    std::vector<TaskId> tasks(order.begin(), order.end());
    if (!forward) std::ranges::reverse(tasks);
    return tasks;
  }
};

/// What a worker of each class is worth where the whole instance's work is shared out best.
std::vector<double> area_duals(const Instance& instance) {
  WorkProgram program(instance);
  for (const WorkGroup& group : group_tasks(instance).groups) program.add(group.row, group.tasks);
  program.program().minimise();
  return program.duals();
}

/// Heads in one direction of the graph.
class Heads {
 public:
  Heads(const Instance& instance, bool forward)
      : instance_(instance),
        direction_{instance.graph, forward},
        head_(instance.graph.task_count(), 0),
        seen_by_(instance.graph.task_count(), kNone<TaskId>) {}

  [[nodiscard]] Table<TaskId, Time> run() && {
    for (const TaskId task : direction_.order()) {
      for (const TaskId before : direction_.before(task)) {
        const Time fastest = std::ranges::min(instance_.costs.actual_row(before));
        head_[task] = std::max(head_[task], head_[before] + fastest);
      }
      if (direction_.before(task).size() > instance_.platform.worker_count() && looked_at_ < kLookedAt) {
        head_[task] = std::max(head_[task], after_area(task));
      }
    }
    return std::move(head_);
  }

 private:
  [[nodiscard]] std::vector<TaskId> ancestors(TaskId task) {
    std::vector<TaskId> found{task};
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const TaskId before : direction_.before(found[i])) {
        if (std::exchange(seen_by_[before], task) != task) found.push_back(before);
      }
    }
    found.erase(found.begin());
    looked_at_ += found.size();
    return found;
  }

  [[nodiscard]] Time after_area(TaskId task) {
    if (!duals_) duals_ = area_duals(instance_);
    std::vector<TaskId> tasks = ancestors(task);
    std::ranges::sort(tasks, std::ranges::greater(), [&](TaskId t) { return std::pair(head_[t], t); });
    Certificate area(instance_.platform, *duals_);
    Time latest = 0;
    for (const TaskId ancestor : tasks) {
      area.add_work(instance_.costs.actual_row(ancestor), 1, 0);
      latest = std::max(latest, head_[ancestor] + area.bound());
    }
    return latest;
  }

  const Instance& instance_;
  Direction direction_;
  Table<TaskId, Time> head_;
  Table<TaskId, TaskId> seen_by_;
  std::optional<std::vector<double>> duals_;
  std::size_t looked_at_ = 0;
};

}  // namespace

HeadsAndTails heads_and_tails(const Instance& instance) {
  return {Heads(instance, true).run(), Heads(instance, false).run()};
}

}  // namespace heddle::bounds
