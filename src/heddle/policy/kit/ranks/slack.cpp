#include "heddle/policy/kit/ranks/slack.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <utility>

#include "heddle/bounds/area.hpp"
#include "heddle/model/levels.hpp"

namespace heddle::policy {
namespace {

constexpr std::int64_t kUnits = std::int64_t{1} << 30;  ///< of cost, in a picosecond of the makespan

/// In units of cost, on the estimates.
Table<ClassId, std::int64_t> units_of_duals(const Instance& instance) {
  const Table<ClassId, double> duals = on_estimates(instance, bounds::area_duals);
  Table<ClassId, std::int64_t> units(duals.size());
  for (const ClassId c : duals.ids()) units[c] = std::llround(duals[c] * static_cast<double>(kUnits));
  return units;
}

/// How many tasks the longest path has that begins with a task.
Table<TaskId, std::int64_t> tasks_on_paths(const TaskGraph& graph, const Table<TaskId, std::int64_t>& levels) {
  Table<TaskId, std::int64_t> tasks(levels.size(), 1);
  for (const TaskId task : graph.topological_order() | std::views::reverse) {
    std::pair<std::int64_t, std::int64_t> longest{0, 0};
    for (const TaskId next : graph.successors(task)) longest = std::max(longest, {levels[next], tasks[next]});
    tasks[task] += longest.second;
  }
  return tasks;
}

}  // namespace

void Slack::start(const View& view) {
  const TaskGraph& graph = view.graph();
  known_ = nullptr;
  unplaced_ = 0;
  if (graph.task_count() <= view.platform().worker_count()) return;
  placed_.assign(graph.task_count(), false);
  Known known{
      .duals = units_of_duals(view.instance()), .levels = bottom_levels(view.instance(), Rank::min), .tasks = {}};
  known.tasks = tasks_on_paths(graph, known.levels);
  known_ = std::make_shared<const Known>(std::move(known));
  for (const TaskId task : graph.tasks()) unplaced_ += least_cost(view, task);
}

void Slack::place(const View& view, TaskId task) {
  if (known_ == nullptr || placed_[index(task)]) return;
  placed_[index(task)] = true;
  unplaced_ -= least_cost(view, task);
}

Slack::Cost Slack::least_cost(const View& view, TaskId task) const {
  std::optional<Cost> least;
  for (const ClassId c : view.platform().classes()) {
    if (!view.can_run(task, c)) continue;
    const Cost own = cost(c, view.estimate(task, c));
    if (!least || own < *least) least = own;
  }
  return least.value_or(0);
}

Time Slack::share_of(TaskId task, Cost left) const {
  const Cost slack = left - Cost{known_->levels[task]} * kUnits;
  return slack > 0 ? static_cast<Time>(slack / known_->tasks[task] / kUnits) : 0;
}

}  // namespace heddle::policy
