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

constexpr const char* kTooFine =
    "avg ranks need a common denominator beyond 64 bits on this platform; use min ranks, or in place of cpop, which "
    "has "
    "none, heft";

/// The rows that tasks have, each once: a type that none is of has a row as well.
std::vector<std::uint32_t> used_rows(const Instance& instance) {
  std::vector<std::uint32_t> rows;
  std::vector<bool> seen(instance.costs.row_count(), false);
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.row(task);
    if (!seen[row]) rows.push_back(row);
    seen[row] = true;
  }
  return rows;
}

/// The number of workers that can run the tasks of a row: the denominator of its mean; 1 when none can.
std::int64_t runners(const Instance& instance, std::uint32_t row) {
  std::int64_t workers = 0;
  for (const ClassId c : instance.platform.classes()) {
    if (instance.costs.estimate_row(row)[index(c)] != kCannotRun) workers += instance.platform.worker_count(c);
  }
  return std::max<std::int64_t>(workers, 1);
}

/// The least common multiple of the denominators of all means.
std::int64_t common_denominator(const Instance& instance) {
  std::int64_t common = 1;
  for (const std::uint32_t row : used_rows(instance)) {
    const std::int64_t denominator = runners(instance, row);
    if (__builtin_mul_overflow(common, denominator / std::gcd(common, denominator), &common)) {
      throw InputError(kTooFine);
    }
  }
  return common;
}

/// The means of all rows that tasks have over a common denominator, as numerators.
std::vector<Wide> scaled_means(const Instance& instance, std::int64_t common) {
  std::vector<Wide> weight(instance.costs.row_count(), 0);
  for (const std::uint32_t row : used_rows(instance)) {
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

/// Tasks and what they send each other, weighed on one scale.
class WeightedGraph {
 public:
  WeightedGraph(const Instance& instance, Rank rank, const Communication& communication)
      : instance_(instance), communication_(communication) {
    if (rank == Rank::avg) {
      scale_ = common_denominator(instance);
      constexpr std::int64_t kMostScale = std::int64_t{1}
                                          << 44;  // 2^44 x the longest transfer x 2^20 edges fit in 128 bits
      if (scale_ > kMostScale) throw InputError(kTooFine);
      weight_ = scaled_means(instance, scale_);
    } else {
      const std::vector<Time> least = smallest(instance.costs, false);
      weight_.assign(least.begin(), least.end());
    }
  }

  /// Longest path from each task on, the task included.
  [[nodiscard]] Table<TaskId, Wide> from_each() const {
    Table<TaskId, Wide> level(graph().task_count(), 0);
    const auto order = graph().topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const TaskId task = order[i];
      level[task] += weight(task);
      visit_sources(task,
                    [&](TaskId source, Wide sent) { level[source] = std::max(level[source], level[task] + sent); });
    }
    return level;
  }

  /// Longest path up to each task, the task not included.
  [[nodiscard]] Table<TaskId, Wide> up_to_each() const {
    Table<TaskId, Wide> level(graph().task_count(), 0);
    for (const TaskId task : graph().topological_order()) {
      visit_sources(task, [&](TaskId source, Wide sent) {
        level[task] = std::max(level[task], level[source] + weight(source) + sent);
      });
    }
    return level;
  }

 private:
  [[nodiscard]] const TaskGraph& graph() const { return instance_.graph; }
  [[nodiscard]] Wide weight(TaskId task) const { return weight_[instance_.costs.row(task)]; }

  template <class Visit>
  void visit_sources(TaskId task, const Visit& visit) const {
    for (const TaskId predecessor : graph().predecessors(task)) visit(predecessor, Wide{0});
    for (const Communication::Inflow& flow : communication_.inflows(task)) {
      if (flow.producer != kNone<TaskId>) visit(flow.producer, Wide{communication_.mean(flow.bytes)} * scale_);
    }
  }

  const Instance& instance_;
  const Communication& communication_;
  std::int64_t scale_ = 1;
  std::vector<Wide> weight_;  ///< by row
};

}  // namespace

Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank) {
  if (rank == Rank::min) return longest_paths(instance, smallest(instance.costs, false));
  return comparable(longest_paths(instance, scaled_means(instance, common_denominator(instance))));
}

Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank, const Communication& communication) {
  if (communication.free()) return bottom_levels(instance, rank);
  return comparable(WeightedGraph(instance, rank, communication).from_each());
}

Table<TaskId, std::int64_t> longest_paths_through(const Instance& instance, Rank rank,
                                                  const Communication& communication) {
  const WeightedGraph graph(instance, rank, communication);
  Table<TaskId, Wide> through = graph.from_each();
  const Table<TaskId, Wide> before = graph.up_to_each();
  for (const TaskId task : through.ids()) through[task] += before[task];
  return comparable(through);
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
