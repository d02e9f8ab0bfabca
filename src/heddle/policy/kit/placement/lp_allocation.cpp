#include "heddle/policy/kit/placement/lp_allocation.hpp"

#include <algorithm>
#include <ranges>

namespace heddle::policy {
namespace {

/// Bottom levels, every task on its class.
Table<TaskId, std::int64_t> allocated_levels(const View& view, const Table<TaskId, ClassId>& allocation) {
  Table<TaskId, std::int64_t> levels(allocation.size(), 0);
  for (const TaskId task : view.graph().topological_order() | std::views::reverse) {
    for (const TaskId successor : view.graph().successors(task))
      levels[task] = std::max(levels[task], levels[successor]);
    levels[task] += view.estimate(task, allocation[task]);
  }
  return levels;
}

Table<TaskId, ClassId> round_shares(const Instance& believed, LpAllocation::Round round) {
  const bounds::Shares shares = bounds::fractional_allocation(believed);
  Table<TaskId, ClassId> allocation(believed.graph.task_count());
  for (const TaskId task : allocation.ids()) allocation[task] = round(believed, shares, task);
  return allocation;
}

}  // namespace

void LpAllocation::start(const View& view) {
  Table<TaskId, ClassId> allocation =
      on_estimates(view.instance(), [&](const Instance& believed) { return round_shares(believed, round_); });
  Table<TaskId, std::int64_t> urgency;
  if (order_ == Order::ols) urgency = allocated_levels(view, allocation);
  AllocatedLists::start(view, std::move(allocation), std::move(urgency));
}

Option list_option() {
  return choice("list", "ols", {"ols", "est"},
                "order of the tasks allocated to a class: by bottom level on the allocated classes (ols, ordered list "
                "scheduling), or as they become ready (est, earliest starting time)");
}

LpAllocation::Order chosen_list(const Options& options) {
  return static_cast<LpAllocation::Order>(options.choice("list"));
}

}  // namespace heddle::policy
