#include "heddle/bounds/chains.hpp"

#include <algorithm>
#include <compare>

#include "heddle/bounds/work_groups.hpp"
#include "heddle/bounds/work_program.hpp"

namespace heddle::bounds {
namespace {

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
      best_[task].others += std::ranges::min(instance_.costs.actual_row(instance_.costs.row(task)));
    }
  }

  const Instance& instance_;
  TypeId type_;
  Table<TaskId, Collected> best_;
  Table<TaskId, TaskId> before_;
};

/// Label 0 is for types that are no chain, i + 1 for that of chains[i].
std::vector<std::uint32_t> labels(const Instance& instance, std::span<const Chain> chains) {
  std::vector<std::uint32_t> label(instance.graph.type_count(), 0);
  for (std::size_t i = 0; i < chains.size(); ++i) label[index(chains[i].type)] = static_cast<std::uint32_t>(i + 1);
  return label;
}

/// The program of chained_bound.
class ChainedProgram {
 public:
  ChainedProgram(const Instance& instance, std::span<const Chain> chains)
      : instance_(instance),
        chains_(chains),
        groups_(group_tasks(instance, labels(instance, chains)).groups),
        program_(instance) {
    std::vector<std::vector<WorkProgram::Work>> works(chains.size() + 1);
    for (const WorkGroup& group : groups_) works[group.label].push_back(program_.add(group.row, group.tasks));
    for (std::size_t i = 0; i < chains.size(); ++i) {
      rows_.push_back(program_.add_length_row(works[i + 1], program_.in_units(chains[i].others)));
      program_.program().set(rows_.back(), program_.makespan(), -1);
    }
  }

  Bound solve() {
    program_.program().minimise();
    std::vector<Certificate::Units> flow{0};
    for (const auto row : rows_) flow.push_back(Certificate::units(-program_.program().dual(row)));
    Certificate certificate = program_.certificate();
    for (const WorkGroup& group : groups_) {
      certificate.add_work(instance_.costs.actual_row(group.row), group.tasks, flow[group.label]);
    }
    for (std::size_t i = 0; i < chains_.size(); ++i) certificate.add_flow(flow[i + 1], chains_[i].others);
    return describe(certificate, flow);
  }

 private:
  [[nodiscard]] Bound describe(const Certificate& certificate, std::span<const Certificate::Units> flow) const {
    Bound bound;
    bound.value = certificate.bound();
    bound.use = program_.use();
    bound.full_classes = certificate.priced_classes();
    const auto heaviest = std::ranges::max_element(flow);
    if (*heaviest > 0) bound.path = chains_[static_cast<std::size_t>(heaviest - flow.begin()) - 1].path;
    return bound;
  }

  const Instance& instance_;
  std::span<const Chain> chains_;
  std::vector<WorkGroup> groups_;
  WorkProgram program_;
  std::vector<LinearProgram::Row> rows_;  ///< by chain
};

}  // namespace

std::vector<Chain> find_chains(const Instance& instance) {
  const Table<TaskId, std::uint32_t> depth = depths(instance.graph);
  const auto tasks = tasks_by_type(instance.graph);
  std::vector<Chain> chains;
  for (const TypeId type : instance.graph.types()) {
    if (!may_be_chain(tasks[index(type)], depth)) continue;
    auto chain = ChainSearch(instance, type).chain(tasks[index(type)].size());
    if (chain) chains.push_back(std::move(*chain));
  }
  return chains;
}

Bound chained_bound(const Instance& instance, std::span<const Chain> chains) {
  return ChainedProgram(instance, chains).solve();
}

std::optional<Bound> mixed_bound(const Instance& instance, std::span<const Chain> chains) {
  if (chains.empty()) return std::nullopt;
  Bound bound = chained_bound(instance, chains);
  // Where no chain binds, the solver's tolerance must not put this bound a picosecond below the area.
  bound.value = std::max(bound.value, area_bound(instance).value);
  return bound;
}

std::optional<Bound> mixed_bound(const Instance& instance) {
  return mixed_bound(instance, find_chains(instance));
}

}  // namespace heddle::bounds
