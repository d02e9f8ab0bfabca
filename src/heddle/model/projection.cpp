#include "heddle/model/projection.hpp"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

using Here = Table<TaskId, TaskId>;

TaskGraph project_graph(const TaskGraph& graph, std::span<const TaskId> tasks, const Here& here) {
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
  for (const TaskId task : graph.topological_order()) {
    if (here[task] != kNone<TaskId>) parts.order.push_back(here[task]);
  }
  return TaskGraph::assemble(std::move(parts));
}

/// The same with what the accesses of the tasks alone imply: tasks that share data wait for each other, maybe by way of
/// tasks that are left out.
TaskGraph link_graph(const TaskGraph& graph, std::span<const TaskId> tasks, const Here& here) {
  TaskGraphBuilder builder;
  for (const TypeId type : graph.types()) builder.add_type(graph.type_name(type));
  for (const Datum& datum : graph.data()) builder.add_datum(datum);
  for (const TaskId task : tasks) {
    builder.add_task(graph.name(task), graph.type(task), graph.accesses(task), graph.priority(task));
  }
  for (const TaskId task : tasks) {
    for (const TaskId before : graph.predecessors(task)) {
      if (here[before] != kNone<TaskId>) builder.add_edge(here[before], here[task]);
    }
  }
  return builder.build();
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
  // Rows keep their order: policies may break ties by it.
  std::vector<TaskId> own;
  for (const TaskId task : graph.tasks()) {
    if (all.row(tasks[index(task)]) != Costs::row(graph.type(task))) own.push_back(task);
  }
  const auto row_of = [&](TaskId here) { return all.row(tasks[index(here)]); };
  std::ranges::sort(own, {}, row_of);
  for (const TaskId task : own) copy_row(costs.own_row(task), row_of(task));
  return costs;
}

Here number_tasks(const Instance& whole, std::span<const TaskId> tasks) {
  Here here(whole.graph.task_count(), kNone<TaskId>);
  for (std::size_t i = 0; i < tasks.size(); ++i) here[tasks[i]] = make_id<TaskId>(i);
  return here;
}

Projection assemble(const Instance& whole, TaskGraph graph, Platform platform, std::vector<TaskId> tasks, Here here) {
  Costs costs = project_costs(whole, graph, tasks);
  return {make_instance(whole.name, std::move(graph), std::move(platform), std::move(costs)), std::move(tasks),
          std::move(here)};
}

}  // namespace

Projection project(const Instance& whole, std::vector<TaskId> tasks) {
  Here here = number_tasks(whole, tasks);
  TaskGraph graph = project_graph(whole.graph, tasks, here);
  Projection projection = assemble(whole, std::move(graph), whole.platform, std::move(tasks), std::move(here));
  if (whole.contexts.empty()) return projection;
  Contexts& contexts = projection.instance.contexts;
  contexts.all = whole.contexts.all;
  for (const TaskId task : projection.whole) contexts.of.push_back(whole.contexts.of[task]);
  return projection;
}

Projection project(const Instance& whole, std::vector<TaskId> tasks, std::span<const WorkerId> workers) {
  Here here = number_tasks(whole, tasks);
  const bool has_all = tasks.size() == whole.graph.task_count();
  TaskGraph graph = has_all ? project_graph(whole.graph, tasks, here) : link_graph(whole.graph, tasks, here);
  return assemble(whole, std::move(graph), whole.platform.restricted(workers), std::move(tasks), std::move(here));
}

}  // namespace heddle
