#include "heddle/starpu/recorder.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "heddle/model/observed_links.hpp"
#include "heddle/model/validate.hpp"

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

/// Nor do those overlap that commute, of which the engine runs one at a time. `by_task`: in the order of starts.
void end_before_commuting(const TaskGraph& graph, std::vector<Attempt>& by_task) {
  Table<DataId, Attempt*> last(graph.data_count(), nullptr);
  for (Attempt& attempt : by_task) {
    for (const Access access : graph.accesses(attempt.task)) {
      if (access.mode != AccessMode::commute) continue;
      Attempt* const before = std::exchange(last[access.data], &attempt);
      if (before != nullptr) before->end = std::min(before->end, attempt.start);
    }
  }
}

Platform without_links(const Platform& platform) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
  return Platform(std::move(classes));
}

/// Data that no copy brought: the engine moved some unseen, and so nothing is said of what was moved.
void leave_out_gaps(Recorder::Record& record) {
  if (record.instance.platform.links().empty()) return;
  const std::vector<std::string> missing = validate(record.instance, record.schedule);
  if (missing.empty()) return;
  record.gap = missing.front();
  record.instance.platform = without_links(record.instance.platform);
  record.schedule.transfers.clear();
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

/// Where each datum was first read or copied from; the main memory where it was written first. `order`: of the tasks'
/// starts.
Table<DataId, MemoryId> Recorder::homes_of(std::span<const std::size_t> order, const Platform& platform,
                                           std::span<const Copied> copies) const {
  constexpr MemoryId kMain{0};
  struct First {
    Time at = kMaxTime;
    MemoryId memory = kMain;
  };
  Table<DataId, First> first(data_.size());
  for (const Copied& copy : copies) {
    if (copy.start < first[copy.data].at) first[copy.data] = {copy.start, copy.from};
  }
  for (const std::size_t i : order) {
    const Run& run = runs_[i];
    for (const Access access : tasks_[i].accesses) {
      if (run.start >= first[access.data].at) continue;
      first[access.data] = {run.start, reads(access.mode) ? platform.memory_of(run.worker) : kMain};
    }
  }
  Table<DataId, MemoryId> homes;
  for (const First& one : first) homes.push_back(one.memory);
  return homes;
}

Recorder::Record Recorder::finish(const Platform& platform, const Estimates& estimates, std::string policy,
                                  std::vector<Copied> copies, const Table<ContextId, Context>& all_contexts,
                                  std::vector<WorkerMove> moves) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (runs_[i].worker != kNone<WorkerId>) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return runs_[i].start; });
  TaskGraphBuilder builder;
  for (const std::string& type : types_) builder.add_type(type);
  const Table<DataId, MemoryId> homes = homes_of(order, platform, copies);
  for (const DataId data : data_.ids()) {
    Datum datum = data_[data];
    datum.home = platform.memories()[homes[data]].name;
    builder.add_datum(std::move(datum));
  }
  std::vector<Attempt> by_task;
  Contexts contexts{all_contexts, {}};
  for (const std::size_t i : order) {
    const Task& task = tasks_[i];
    const TaskId id = builder.add_task(task.name, task.type, task.accesses, task.priority);
    by_task.push_back({id, runs_[i].worker, runs_[i].start, runs_[i].end, Outcome::completed});
    if (!contexts.empty()) contexts.of.push_back(context_of_[task.type]);
  }
  Time origin = by_task.empty() ? 0 : by_task.front().start;
  for (const Copied& copy : copies) origin = std::min(origin, copy.start);
  for (Copied& copy : copies) {
    copy.start -= origin;
    copy.seen -= origin;
  }
  for (Attempt& attempt : by_task) {
    attempt.start -= origin;
    attempt.end -= origin;
  }
  for (WorkerMove& move : moves) move.at = std::max<Time>(move.at - origin, 0);
  TaskGraph graph = builder.build();
  end_before_successors(graph, by_task);
  end_before_commuting(graph, by_task);
  Record record;
  record.schedule.transfers = transfers_of(std::move(copies), graph, by_task);
  Costs costs = costs_of(graph, platform, estimates, by_task);
  record.instance =
      make_instance("starpu", std::move(graph), with_links_of(platform, record.schedule.transfers), std::move(costs));
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
  leave_out_gaps(record);
  return record;
}

}  // namespace heddle::starpu
