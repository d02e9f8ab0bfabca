#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "heddle/io/workflow.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// The file names no machines: all tasks ran on this one.
constexpr const char* kOnlyMachine = "machine";

void give_machines(Workflow& workflow) {
  if (workflow.machines.empty()) workflow.machines.push_back({.name = kOnlyMachine});
  for (const TaskId task : workflow.graph.tasks()) {
    WorkflowRun& run = workflow.runs[task];
    const std::string name = workflow.source + ": task '" + std::string(workflow.graph.name(task)) + "' ";
    if (run.machines > 1) {
      throw InputError(name + "ran on " + std::to_string(run.machines) + " machines; expected one");
    }
    if (run.machine) continue;
    if (workflow.machines.size() > 1) throw InputError(name + "names none of the machines; expected one");
    run.machine = 0;
  }
}

/// Attempts by task, on workers of a machine that are numbered from 0.
class MachineSchedule {
 public:
  explicit MachineSchedule(const Workflow& workflow) : workflow_(workflow) {
    std::vector<std::int64_t> most(workflow.machines.size(), 1);  // cores of a task
    for (const WorkflowRun& run : workflow.runs) most[*run.machine] = std::max(most[*run.machine], run.cores);
    std::size_t all = 0;
    for (std::size_t m = 0; m < most.size(); ++m) {
      workers_.push_back(static_cast<std::size_t>(std::max<std::int64_t>(1, workflow.machines[m].cores / most[m])));
      all += workers_.back();
    }
    if (all > kMaxWorkers) {
      throw InputError(workflow.source + ": the machines have " + std::to_string(all) +
                       " workers; expected at most a million");
    }
  }

  /// As they happened: each takes the first worker of its machine that is free.
  std::vector<Attempt> as_recorded() {
    std::vector<Attempt> by_task;
    for (const TaskId task : workflow_.graph.tasks()) {
      const WorkflowRun& run = workflow_.runs[task];
      by_task.push_back({task, {}, *run.start, *run.start + run.duration, Outcome::completed});
    }
    end_before_successors(workflow_.graph, by_task);
    std::vector<Attempt*> by_start;
    for (Attempt& attempt : by_task) by_start.push_back(&attempt);
    std::ranges::stable_sort(by_start, {}, [](const Attempt* a) { return std::tuple(a->start, a->end); });
    struct Workers {
      Earliest<Free> busy{};         ///< until then
      Earliest<std::size_t> idle{};  ///< of those that were busy
      std::size_t count = 0;
    };
    std::vector<Workers> machines(workflow_.machines.size());
    for (Attempt* attempt : by_start) {
      auto& [busy, idle, count] = machines[*workflow_.runs[attempt->task].machine];
      for (; !busy.empty() && busy.top().from <= attempt->start; busy.pop()) idle.push(busy.top().worker);
      if (idle.empty()) idle.push(count++);
      attempt->worker = make_id<WorkerId>(idle.top());
      busy.push({attempt->end, idle.top()});
      idle.pop();
    }
    for (std::size_t m = 0; m < machines.size(); ++m) workers_[m] = std::max(machines[m].count, workers_[m]);
    return by_task;
  }

  /// Each as soon as its predecessors have ended and its machine has a worker, the one that is ready first, first.
  std::vector<Attempt> replayed() {
    std::vector<Earliest<Free>> free(workflow_.machines.size());
    for (std::size_t m = 0; m < free.size(); ++m) {
      for (std::size_t w = 0; w < workers_[m]; ++w) free[m].push({0, w});
    }
    const TaskGraph& graph = workflow_.graph;
    Earliest<std::pair<Time, TaskId>> ready;
    Table<TaskId, Time> ready_from(graph.task_count(), 0);
    Table<TaskId, std::size_t> waits_for(graph.task_count());
    for (const TaskId task : graph.tasks()) {
      waits_for[task] = graph.predecessors(task).size();
      if (waits_for[task] == 0) ready.emplace(0, task);
    }
    std::vector<Attempt> by_task(graph.task_count());
    while (!ready.empty()) {
      const auto [since, task] = ready.top();
      ready.pop();
      Earliest<Free>& workers = free[*workflow_.runs[task].machine];
      const Free next = workers.top();
      workers.pop();
      const Time start = std::max(since, next.from);
      const Time end = start + workflow_.runs[task].duration;
      workers.push({end, next.worker});
      by_task[index(task)] = {task, make_id<WorkerId>(next.worker), start, end, Outcome::completed};
      for (const TaskId successor : graph.successors(task)) {
        ready_from[successor] = std::max(ready_from[successor], end);
        if (--waits_for[successor] == 0) ready.emplace(ready_from[successor], successor);
      }
    }
    return by_task;
  }

  /// Of each machine.
  [[nodiscard]] const std::vector<std::size_t>& workers() const { return workers_; }

 private:
  /// A worker, and from when on it has nothing to do.
  struct Free {
    Time from;
    std::size_t worker;
    auto operator<=>(const Free&) const = default;
  };
  template <class T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  const Workflow& workflow_;
  /// By machine: as many as tasks that take the most cores fit on it, or more where more ran at once.
  std::vector<std::size_t> workers_;
};

/// The machines as a platform, and the first worker of each there.
struct Cluster {
  std::vector<ResourceClass> classes;
  std::vector<std::size_t> first_worker;
};

Cluster cluster_of(const std::vector<WorkflowMachine>& machines, const std::vector<std::size_t>& workers) {
  std::vector<std::string> kinds;
  for (const WorkflowMachine& machine : machines) {
    if (std::ranges::find(kinds, machine.kind) == kinds.end()) kinds.push_back(machine.kind);
  }
  Cluster cluster;
  cluster.first_worker.resize(machines.size());
  std::size_t count = 0;
  for (const std::string& kind : kinds) {
    ResourceClass c;
    for (std::size_t m = 0; m < machines.size(); ++m) {
      if (machines[m].kind != kind) continue;
      if (c.name.empty()) c.name = kinds.size() == 1 ? "cpu" : machines[m].name;
      cluster.first_worker[m] = count;
      count += workers[m];
      c.workers += static_cast<std::uint32_t>(workers[m]);
    }
    cluster.classes.push_back(std::move(c));
  }
  return cluster;
}

}  // namespace

WorkflowExecution execution_of(Workflow workflow) {
  give_machines(workflow);
  WorkflowExecution found;
  found.measured = workflow.makespan;
  found.is_replayed = std::ranges::any_of(workflow.runs, [](const WorkflowRun& run) { return !run.start; });
  MachineSchedule schedule(workflow);
  std::vector<Attempt> by_task = found.is_replayed ? schedule.replayed() : schedule.as_recorded();
  Cluster cluster = cluster_of(workflow.machines, schedule.workers());
  for (Attempt& attempt : by_task) {
    const std::size_t first = cluster.first_worker[*workflow.runs[attempt.task].machine];
    attempt.worker = make_id<WorkerId>(first + index(attempt.worker));
  }
  try {
    Platform platform(std::move(cluster.classes));
    Costs costs = seen_costs(workflow.graph, platform, by_task);
    found.execution.instance =
        make_instance(std::move(workflow.name), std::move(workflow.graph), std::move(platform), std::move(costs));
  } catch (const InputError& error) {
    throw InputError(workflow.source + ": " + error.what());
  }
  take_attempts(found.execution, std::move(by_task));
  return found;
}

}  // namespace heddle::io
