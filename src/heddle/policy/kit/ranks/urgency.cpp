#include "heddle/policy/kit/ranks/urgency.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::policy {
namespace {

/// A task is to start so many times its duration before any that waits for it: workers are not always free then.
constexpr Time kMargin = 2;

/// When each task should start, in picoseconds, the sign changed. At the pace of the program: as if all workers
/// together did the tasks one after another, by number, each in its smallest duration, which is too fast where classes
/// differ and lets long paths weigh more. Earlier where what waits for it is due.
Table<TaskId, std::int64_t> due_dates(const Instance& instance) {
  constexpr Time kFarOff = kMaxTime / 4;  // a runtime may guess more than instances have
  const TaskGraph& graph = instance.graph;
  const auto least = [&](TaskId task) { return std::ranges::min(instance.costs.estimate_row(task)); };
  const auto workers = static_cast<Time>(instance.platform.worker_count());
  Table<TaskId, std::int64_t> urgency(graph.task_count());
  Time before = 0;
  for (const TaskId task : graph.tasks()) {
    urgency[task] = -(before / workers);
    before = std::min(before + least(task), kFarOff);
  }
  const auto order = graph.topological_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const TaskId task = order[i];
    const Time ahead = kMargin * std::min(least(task), kFarOff);
    for (const TaskId successor : graph.successors(task)) {
      urgency[task] = std::max(urgency[task], std::min(urgency[successor], kFarOff) + ahead);
    }
  }
  return urgency;
}

Table<TaskId, std::int64_t> hints(const TaskGraph& graph) {
  Table<TaskId, std::int64_t> hints(graph.task_count());
  for (const TaskId task : graph.tasks()) hints[task] = graph.priority(task);
  return hints;
}

/// Each task's place in the order by the application's priority, then by bottom level.
Table<TaskId, std::int64_t> hints_first(const Instance& instance) {
  const Table<TaskId, std::int64_t> levels = bottom_levels(instance, Rank::min);
  const auto key = [&](TaskId task) { return std::pair(instance.graph.priority(task), levels[task]); };
  std::vector<TaskId> order(instance.graph.tasks().begin(), instance.graph.tasks().end());
  std::ranges::sort(order, {}, key);
  Table<TaskId, std::int64_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_equal = i > 0 && key(order[i]) == key(order[i - 1]);
    places[order[i]] = is_equal ? places[order[i - 1]] : static_cast<std::int64_t>(i);
  }
  return places;
}

}  // namespace

Option rank_option() {
  return choice("rank", "min", {"min", "avg"},
                "weight of a task in its bottom level: its smallest duration (min), or the mean over the workers that "
                "can run it (avg)");
}

Option priority_option() {
  return choice("priority", "bottom-level", {"bottom-level", "hint", "due", "hint-first"},
                "urgency of a task: its bottom level with rank min; the application's priority (hint); the order of "
                "submission, as far as long paths allow, so that tasks find shared data in the caches (due); or the "
                "application's priority and, among equals, the bottom level (hint-first)");
}

Rank chosen_rank(const Options& options) {
  return options.choice("rank") == 0 ? Rank::min : Rank::avg;
}

Priority chosen_priority(const Options& options) {
  return static_cast<Priority>(options.choice("priority"));
}

Table<TaskId, std::int64_t> priorities(const View& view, Priority priority) {
  switch (priority) {
    case Priority::hint:
      return hints(view.graph());
    case Priority::due:
      return due_dates(view.instance());
    case Priority::hint_first:
      return hints_first(view.instance());
    case Priority::bottom_level:
      break;
  }
  return bottom_levels(view.instance(), Rank::min);
}

}  // namespace heddle::policy
