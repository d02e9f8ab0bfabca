#include "heddle/starpu/recorder.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace heddle::starpu {
namespace {

/// The engine says that a task has ended after it has released those that wait for it, and these may have started by
/// then.
void end_before_successors(const TaskGraph& graph, std::vector<Attempt>& by_task) {
  for (const TaskId task : graph.tasks()) {
    Attempt& attempt = by_task[index(task)];
    for (const TaskId successor : graph.successors(task)) {
      attempt.end = std::min(attempt.end, by_task[index(successor)].start);
    }
    attempt.end = std::max(attempt.end, attempt.start);
  }
}

/// What moved when is not recorded.
Platform without_links(const Platform& platform) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
  return Platform(std::move(classes));
}

Costs costs_of(const TaskGraph& graph, const Platform& platform, const Estimates& estimates,
               const std::vector<Attempt>& by_task) {
  Costs costs(graph, platform.class_count(), [&](TypeId type, ClassId c) { return estimates.mean(type, c); });
  for (const Attempt& attempt : by_task) {
    costs.set_actual(costs.own_row(attempt.task), platform.class_of(attempt.worker), attempt.end - attempt.start);
  }
  return costs;
}

/// The contexts of tasks, which have one each so far. What was run by workers that it did not have then is of one more,
/// which has all workers.
Contexts with_elsewhere(Contexts contexts, std::span<const WorkerMove> moves, const Platform& platform,
                        const std::vector<Attempt>& by_task) {
  const ContextId elsewhere = make_id<ContextId>(contexts.all.size());
  Table<WorkerId, std::vector<Stay>> by_worker(platform.worker_count());
  for (const Stay& stay : stays(contexts.all, moves)) by_worker[stay.worker].push_back(stay);
  for (const Attempt& attempt : by_task) {
    ContextId& context = contexts.of[attempt.task];
    const auto is_inside = [&](const Stay& stay) {
      return stay.context == context && stay.begin <= attempt.start && attempt.end <= stay.end;
    };
    if (std::ranges::none_of(by_worker[attempt.worker], is_inside)) context = elsewhere;
  }
  if (std::ranges::find(contexts.of, elsewhere) == contexts.of.end()) return contexts;
  std::string name = "elsewhere";
  while (std::ranges::find(contexts.all, name, &Context::name) != contexts.all.end()) name += "'";
  const auto workers = platform.workers();
  contexts.all.push_back({std::move(name), {workers.begin(), workers.end()}});
  return contexts;
}

}  // namespace

TypeId Recorder::add_type(std::string name, ContextId context) {
  context_of_.push_back(context);
  return types_.push_back(std::move(name));
}

DataId Recorder::add_datum(std::int64_t bytes) {
  return data_.push_back({.name = "d" + std::to_string(data_.size()), .bytes = bytes});
}

host::TaskNumber Recorder::add(Task task) {
  const host::TaskNumber number{tasks_.size()};
  tasks_.push_back(std::move(task));
  runs_.emplace_back();
  return number;
}

void Recorder::ran(host::TaskNumber task, WorkerId worker, Time start, Time end) {
  runs_[static_cast<std::size_t>(task)] = {worker, start, end};
}

Recorder::Record Recorder::finish(const Platform& platform, const Estimates& estimates, std::string policy,
                                  const Table<ContextId, Context>& all_contexts, std::vector<WorkerMove> moves) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (runs_[i].worker != kNone<WorkerId>) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return runs_[i].start; });
  TaskGraphBuilder builder;
  for (const std::string& type : types_) builder.add_type(type);
  for (const Datum& datum : data_) builder.add_datum(datum);
  std::vector<Attempt> by_task;
  Contexts contexts{all_contexts, {}};
  for (const std::size_t i : order) {
    const Task& task = tasks_[i];
    const TaskId id = builder.add_task(task.name, task.type, task.accesses, task.priority);
    by_task.push_back({id, runs_[i].worker, runs_[i].start, runs_[i].end, Outcome::completed});
    if (!contexts.empty()) contexts.of.push_back(context_of_[task.type]);
  }
  const Time origin = by_task.empty() ? 0 : by_task.front().start;
  for (Attempt& attempt : by_task) {
    attempt.start -= origin;
    attempt.end -= origin;
  }
  for (WorkerMove& move : moves) move.at = std::max<Time>(move.at - origin, 0);
  TaskGraph graph = builder.build();
  end_before_successors(graph, by_task);
  Costs costs = costs_of(graph, platform, estimates, by_task);
  Record record{make_instance("starpu", std::move(graph), without_links(platform), std::move(costs)), {}};
  if (!contexts.empty()) {
    record.instance =
        with_contexts(std::move(record.instance), with_elsewhere(std::move(contexts), moves, platform, by_task));
    record.schedule.moves = std::move(moves);
  }
  record.schedule.contexts = record.instance.contexts;
  record.schedule.instance = record.instance.name;
  record.schedule.policy = std::move(policy);
  record.schedule.attempts = std::move(by_task);
  std::ranges::stable_sort(record.schedule.attempts, {}, &Attempt::end);
  return record;
}

}  // namespace heddle::starpu
