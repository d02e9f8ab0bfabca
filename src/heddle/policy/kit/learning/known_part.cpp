#include "heddle/policy/kit/learning/known_part.hpp"

#include <utility>

namespace heddle::policy {
namespace {

TaskGraph graph_of(const TaskGraph& whole, std::span<const TaskId> tasks) {
  TaskGraphBuilder builder;
  for (const TypeId type : whole.types()) builder.add_type(whole.type_name(type));
  for (const Datum& datum : whole.data()) builder.add_datum(datum);
  Table<TaskId, TaskId> number(whole.task_count(), kNone<TaskId>);
  for (const TaskId task : tasks) {
    number[task] = builder.add_task(whole.name(task), whole.type(task), whole.accesses(task), whole.priority(task));
    for (const TaskId predecessor : whole.predecessors(task)) builder.add_edge(number[predecessor], number[task]);
  }
  return builder.build();
}

void copy_row(const Costs& from, std::uint32_t source, Costs& to, std::uint32_t target) {
  for (std::size_t c = 0; c < from.class_count(); ++c) {
    to.set_actual(target, make_id<ClassId>(c), from.estimate_row(source)[c]);
  }
}

}  // namespace

Instance known_part(const Instance& instance, std::span<const TaskId> tasks) {
  TaskGraph graph = graph_of(instance.graph, tasks);
  Costs costs(graph, instance.platform.class_count());
  for (const TypeId type : graph.types()) copy_row(instance.costs, Costs::row(type), costs, Costs::row(type));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint32_t row = instance.costs.row(tasks[i]);
    if (row != Costs::row(instance.graph.type(tasks[i]))) {
      copy_row(instance.costs, row, costs, costs.own_row(make_id<TaskId>(i)));
    }
  }
  return make_instance(instance.name, std::move(graph), instance.platform, std::move(costs));
}

}  // namespace heddle::policy
