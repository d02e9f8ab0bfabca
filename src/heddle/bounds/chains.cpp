#include "heddle/bounds/chains.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>

namespace heddle::bounds {
namespace {

/// A type costs a search through the graph, a chain a row of linear programs. Of graphs with very many types the first
/// are looked at.
constexpr std::size_t kMostChains = 1000;
constexpr std::size_t kMostSteps = 200'000'000;
constexpr std::size_t kFewTypes = 32;

/// The number of edges on the longest path to each task.
Table<TaskId, std::uint32_t> depths(const TaskGraph& graph) {
  Table<TaskId, std::uint32_t> depth(graph.task_count(), 0);
  for (const TaskId task : graph.topological_order()) {
    for (const TaskId p : graph.predecessors(task)) depth[task] = std::max(depth[task], depth[p] + 1);
  }
  return depth;
}

std::vector<std::vector<TaskId>> tasks_by_type(const TaskGraph& graph) {
  std::vector<std::vector<TaskId>> tasks(graph.type_count());
  for (const TaskId task : graph.tasks()) tasks[index(graph.type(task))].push_back(task);
  return tasks;
}

/// Cheap and necessary for lying on one path: no two at the same depth.
bool may_be_chain(const std::vector<TaskId>& tasks, const Table<TaskId, std::uint32_t>& depth) {
  if (tasks.size() < 2) return false;
  std::vector<std::uint32_t> sorted;
  for (const TaskId task : tasks) sorted.push_back(depth[task]);
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

/// What a path to a task has collected: as many tasks of the type as possible, then as much time of others as possible.
struct Collected {
  std::size_t tasks = 0;
  Time others = 0;
  auto operator<=>(const Collected&) const = default;
};

/// The best path that ends with each task, and the task before it (itself at the start).
class ChainSearch {
 public:
  ChainSearch(const Instance& instance, TypeId type)
      : instance_(instance), type_(type), best_(instance.graph.task_count()), before_(instance.graph.task_count()) {
    for (const TaskId task : instance.graph.topological_order()) extend_to(task);
  }

  /// The chain of all `tasks` tasks of the type, if there is one.
  [[nodiscard]] std::optional<Chain> chain(std::size_t tasks) const {
    const auto ends = best_.ids();
    const TaskId last = *std::ranges::max_element(ends, {}, [&](TaskId task) { return best_[task]; });
    if (best_[last].tasks < tasks) return std::nullopt;
    Chain chain{type_, {last}, best_[last].others};
    while (before_[chain.path.back()] != chain.path.back()) chain.path.push_back(before_[chain.path.back()]);
    std::ranges::reverse(chain.path);
    return chain;
  }

 private:
  void extend_to(TaskId task) {
    before_[task] = task;
    for (const TaskId p : instance_.graph.predecessors(task)) {
      if (before_[task] != task && best_[p] <= best_[task]) continue;
      best_[task] = best_[p];
      before_[task] = p;
    }
    if (instance_.graph.type(task) == type_) {
      ++best_[task].tasks;
    } else {
      best_[task].others += std::ranges::min(instance_.costs.actual_row(task));
    }
  }

  const Instance& instance_;
  TypeId type_;
  Table<TaskId, Collected> best_;
  Table<TaskId, TaskId> before_;
};

}  // namespace

std::vector<Chain> find_chains(const Instance& instance, const Countdown& countdown) {
  const Table<TaskId, std::uint32_t> depth = depths(instance.graph);
  const auto tasks = tasks_by_type(instance.graph);
  const std::size_t steps = instance.graph.task_count() + instance.graph.edge_count();
  std::size_t left = std::max(kMostSteps / std::max<std::size_t>(steps, 1), kFewTypes);
  std::vector<Chain> chains;
  for (const TypeId type : instance.graph.types()) {
    if (chains.size() == kMostChains || countdown.over()) break;
    if (!may_be_chain(tasks[index(type)], depth)) continue;
    if (left-- == 0) break;
    auto chain = ChainSearch(instance, type).chain(tasks[index(type)].size());
    if (chain) chains.push_back(std::move(*chain));
  }
  return chains;
}

}  // namespace heddle::bounds
