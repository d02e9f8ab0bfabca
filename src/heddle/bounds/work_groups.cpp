#include "heddle/bounds/work_groups.hpp"

#include <algorithm>
#include <compare>
#include <utility>

namespace heddle::bounds {
namespace {

struct UsedRow {
  std::uint32_t row = 0;
  std::uint32_t label = 0;
  std::int64_t tasks = 0;
};

/// Rows that tasks use. A row belongs to one type, so its label is that of any of its tasks.
std::vector<UsedRow> used_rows(const Instance& instance, std::span<const std::uint32_t> label_of_type) {
  std::vector<UsedRow> rows(instance.costs.row_count());
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.row(task);
    const std::uint32_t label = label_of_type.empty() ? 0 : label_of_type[index(instance.graph.type(task))];
    rows[row] = {row, label, rows[row].tasks + 1};
  }
  std::erase_if(rows, [](const UsedRow& used) { return used.tasks == 0; });
  return rows;
}

std::strong_ordering compare(const Costs& costs, const UsedRow& a, const UsedRow& b) {
  const auto left = costs.actual_row(a.row);
  const auto right = costs.actual_row(b.row);
  const auto order = std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
  return order != 0 ? order : a.label <=> b.label;
}

}  // namespace

WorkGroups group_tasks(const Instance& instance, std::span<const std::uint32_t> label_of_type) {
  std::vector<UsedRow> rows = used_rows(instance, label_of_type);
  std::ranges::sort(rows, [&](const UsedRow& a, const UsedRow& b) {
    const auto order = compare(instance.costs, a, b);
    return order != 0 ? order < 0 : a.row < b.row;
  });
  WorkGroups result;
  result.group_of_row.assign(instance.costs.row_count(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || compare(instance.costs, rows[i - 1], rows[i]) != 0) {
      result.groups.push_back({rows[i].row, rows[i].label, 0});
    }
    result.groups.back().tasks += rows[i].tasks;
    result.group_of_row[rows[i].row] = static_cast<std::uint32_t>(result.groups.size() - 1);
  }
  return result;
}

TaskGroups group_by_durations(const Instance& instance) {
  WorkGroups by_row = group_tasks(instance);
  TaskGroups result{std::move(by_row.groups), Table<TaskId, std::uint32_t>(instance.graph.task_count())};
  for (const TaskId task : instance.graph.tasks()) result.of[task] = by_row.group_of_row[instance.costs.row(task)];
  return result;
}

}  // namespace heddle::bounds
