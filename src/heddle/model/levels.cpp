#include "heddle/model/levels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle {
namespace {

// GCC and clang both have it; -Wpedantic only notes that ISO C++ does not.
__extension__ using Wide = __int128;

/// Longest path from each task, with `weight` per cost row.
template <class Number>
Table<TaskId, Number> longest_paths(const Instance& instance, const std::vector<Number>& weight) {
  const TaskGraph& graph = instance.graph;
  Table<TaskId, Number> level(graph.task_count());
  const auto order = graph.topological_order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const TaskId task = order[i];
    Number below = 0;
    for (const TaskId successor : graph.successors(task)) below = std::max(below, level[successor]);
    level[task] = below + weight[instance.costs.row(task)];
  }
  return level;
}

std::vector<Time> smallest(const Costs& costs, bool actual) {
  std::vector<Time> weight(costs.row_count());
  for (std::uint32_t row = 0; row < weight.size(); ++row) {
    weight[row] = std::ranges::min(actual ? costs.actual_row(row) : costs.estimate_row(row));
  }
  return weight;
}

/// The number of workers that can run the tasks of a row: the denominator of its mean; 1 when none can.
std::int64_t runners(const Instance& instance, std::uint32_t row) {
  std::int64_t workers = 0;
  for (const ClassId c : instance.platform.classes()) {
    if (instance.costs.estimate_row(row)[index(c)] != kCannotRun) workers += instance.platform.worker_count(c);
  }
  return std::max<std::int64_t>(workers, 1);
}

/// The means of all rows over one common denominator, as numerators.
std::vector<Wide> scaled_means(const Instance& instance) {
  const std::size_t rows = instance.costs.row_count();
  std::int64_t common = 1;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::int64_t denominator = runners(instance, row);
    if (__builtin_mul_overflow(common, denominator / std::gcd(common, denominator), &common)) {
      throw InputError("avg ranks need a common denominator beyond 64 bits on this platform; use min ranks");
    }
  }
  std::vector<Wide> weight(rows, 0);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (const ClassId c : instance.platform.classes()) {
      const Time duration = instance.costs.estimate_row(row)[index(c)];
      if (duration != kCannotRun) weight[row] += Wide{duration} * instance.platform.worker_count(c);
    }
    weight[row] *= common / runners(instance, row);
  }
  return weight;
}

/// Numbers that compare like `values`: the values themselves where they fit, else their places in sorted order.
Table<TaskId, std::int64_t> comparable(const Table<TaskId, Wide>& values) {
  Table<TaskId, std::int64_t> result(values.size());
  const bool fits = std::ranges::all_of(values, [](Wide value) { return value <= Wide{kMaxTime}; });
  if (fits) {
    for (const TaskId task : values.ids()) result[task] = static_cast<std::int64_t>(values[task]);
    return result;
  }
  std::vector<Wide> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (const TaskId task : values.ids()) {
    result[task] = std::lower_bound(sorted.begin(), sorted.end(), values[task]) - sorted.begin();
  }
  return result;
}

}  // namespace

Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank) {
  if (rank == Rank::min) return longest_paths(instance, smallest(instance.costs, false));
  return comparable(longest_paths(instance, scaled_means(instance)));
}

CriticalPath critical_path(const Instance& instance) {
  const Table<TaskId, Time> level = longest_paths(instance, smallest(instance.costs, true));
  CriticalPath path;
  std::vector<TaskId> sources;
  for (const TaskId task : instance.graph.tasks()) {
    if (instance.graph.predecessors(task).empty()) sources.push_back(task);
  }
  std::span<const TaskId> candidates = sources;
  while (!candidates.empty()) {
    const TaskId next = *std::ranges::max_element(candidates, {}, [&](TaskId task) { return level[task]; });
    if (path.tasks.empty()) path.length = level[next];
    path.tasks.push_back(next);
    candidates = instance.graph.successors(next);
  }
  return path;
}

}  // namespace heddle
