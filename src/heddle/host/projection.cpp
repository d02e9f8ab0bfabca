#include "heddle/host/projection.hpp"

#include <utility>

namespace heddle::host {
namespace {

TaskGraph project_graph(const TaskGraph& graph, std::span<const TaskId> tasks, const Table<TaskId, TaskId>& here) {
  TaskGraph::Parts parts;
  for (const TypeId type : graph.types()) parts.types.emplace_back(graph.type_name(type));
  parts.data = graph.data();
  parts.predecessor_begin.push_back(0);
  parts.access_begin.push_back(0);
  for (const TaskId task : tasks) {
    parts.names.emplace_back(graph.name(task));
    parts.type.push_back(graph.type(task));
    parts.priority.push_back(graph.priority(task));
    for (const TaskId before : graph.predecessors(task)) {
      if (here[before] != kNone<TaskId>) parts.predecessors.push_back(here[before]);
    }
    parts.predecessor_begin.push_back(static_cast<std::uint32_t>(parts.predecessors.size()));
    parts.accesses.insert(parts.accesses.end(), graph.accesses(task).begin(), graph.accesses(task).end());
    parts.access_begin.push_back(static_cast<std::uint32_t>(parts.accesses.size()));
  }
  return TaskGraph::assemble(std::move(parts));
}

Costs project_costs(const Instance& whole, const TaskGraph& graph, std::span<const TaskId> tasks) {
  const Costs& all = whole.costs;
  Costs costs(graph, whole.platform.class_count());
  const auto copy_row = [&](std::uint32_t row, std::uint32_t from) {
    for (const ClassId c : whole.platform.classes()) {
      costs.set_actual(row, c, all.actual_row(from)[index(c)]);
      if (all.estimates_differ()) costs.set_estimate(row, c, all.estimate_row(from)[index(c)]);
    }
  };
  for (const TypeId type : graph.types()) copy_row(Costs::row(type), Costs::row(type));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint32_t row = all.row(tasks[i]);
    const TaskId here = make_id<TaskId>(i);
    if (row != Costs::row(graph.type(here))) copy_row(costs.own_row(here), row);
  }
  return costs;
}

}  // namespace

Projection project(const Instance& whole, std::vector<TaskId> tasks) {
  Table<TaskId, TaskId> here(whole.graph.task_count(), kNone<TaskId>);
  for (std::size_t i = 0; i < tasks.size(); ++i) here[tasks[i]] = make_id<TaskId>(i);
  TaskGraph graph = project_graph(whole.graph, tasks, here);
  Costs costs = project_costs(whole, graph, tasks);
  return {make_instance(whole.name, std::move(graph), whole.platform, std::move(costs)), std::move(tasks),
          std::move(here)};
}

}  // namespace heddle::host
