#include "heddle/partition/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "heddle/model/contexts.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/projection.hpp"

namespace heddle::partition {
namespace {

/// How often the shares of machines are corrected at most.
constexpr int kSplits = 3;

Candidate as_parts(std::span<const Machine> machines, const Platform& platform) {
  Candidate parts{"machines", {}};
  for (const Machine& machine : machines) {
    Part& part = parts.parts.emplace_back(Part{Table<ClassId, std::uint32_t>(platform.class_count(), 0)});
    for (const WorkerId worker : machine.workers) ++part.workers[platform.class_of(worker)];
  }
  return parts;
}

std::vector<std::vector<TaskId>> tasks_of(const TaskGraph& graph, std::span<const Machine> machines,
                                          const Estimate& split) {
  Table<ContextId, Context> names;
  for (const Machine& machine : machines) names.push_back({machine.name, machine.workers});
  const Contexts assigned = assign_tasks(graph, std::move(names), split.tasks);
  std::vector<std::vector<TaskId>> tasks(machines.size());
  for (const TaskId task : graph.tasks()) tasks[index(assigned.of[task])].push_back(task);
  return tasks;
}

/// The contexts of one machine become contexts of all.
void add_contexts(const Machine& machine, const MachineChoice& chosen, Contexts& contexts) {
  const std::size_t first = contexts.all.size();
  for (const Context& one : chosen.choice.contexts.all) {
    Context context{machine.name + "." + one.name, {}, one.policy};
    for (const WorkerId worker : one.workers) context.workers.push_back(machine.workers[index(worker)]);
    contexts.all.push_back(std::move(context));
  }
  for (std::size_t i = 0; i < chosen.tasks.size(); ++i) {
    const ContextId here = chosen.choice.contexts.of[make_id<TaskId>(i)];
    contexts.of[chosen.tasks[i]] = make_id<ContextId>(first + index(here));
  }
}

ClusterChoice choose_each(const Instance& instance, std::span<const Machine> machines, Estimate split,
                          const CandidatesOf& candidates, const Options& options) {
  if (split.run == kNever) throw InputError("no machine can run all types of task");
  ClusterChoice found;
  std::vector<std::vector<TaskId>> tasks = tasks_of(instance.graph, machines, split);
  found.split = std::move(split);
  found.contexts.of.assign(instance.graph.task_count(), ContextId{0});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    MachineChoice& machine = found.machines.emplace_back();
    machine.name = machines[i].name;
    machine.tasks = std::move(tasks[i]);
    machine.instance = project(instance, machine.tasks, machines[i].workers).instance;
    if (machine.tasks.empty()) continue;
    machine.choice = choose(machine.instance, candidates(machine.instance.platform), options);
    add_contexts(machines[i], machine, found.contexts);
  }
  return found;
}

/// A machine that takes longer than estimated has longer means.
void correct(const ClusterChoice& choice, std::vector<double>& slowdown) {
  for (std::size_t i = 0; i < slowdown.size(); ++i) {
    const double simulated = choice.machines[i].seconds();
    if (simulated > 0 && std::isfinite(simulated) && choice.split.seconds[i] > 0)
      slowdown[i] *= simulated / choice.split.seconds[i];
  }
}

}  // namespace

double MachineChoice::seconds() const {
  if (tasks.empty()) return 0;
  return choice.rows[choice.best].simulated.value_or(kNever);
}

double ClusterChoice::makespan() const {
  double longest = 0;
  for (const MachineChoice& machine : machines) longest = std::max(longest, machine.seconds());
  return longest;
}

std::vector<Machine> parse_machines(std::string_view text, const Platform& platform) {
  constexpr const char* kOwner = "--machines";
  std::vector<ContextRequest> requests = parse_contexts(kOwner, text);
  for (const ContextRequest& request : requests) {
    if (request.policy != ContextRequest{}.policy) {
      throw InputError(fmt::format("{}: '{}' has a policy; expected NAME:WORKERS, as in a:cpu=4,gpu=2; b:cpu=8", kOwner,
                                   request.name));
    }
  }
  std::set<std::string_view> names;
  for (const ContextRequest& request : requests) {
    if (!names.insert(request.name).second)
      throw InputError(fmt::format("{}: there are two machines '{}'", kOwner, request.name));
  }
  std::vector<Machine> machines;
  Table<WorkerId, const std::string*> owner(platform.worker_count(), nullptr);
  for (Context& context : give_workers(platform, requests)) {
    for (const WorkerId worker : context.workers) {
      if (owner[worker] != nullptr) {
        throw InputError(fmt::format("{}: '{}' and '{}' both have the worker {}; a worker belongs to one machine",
                                     kOwner, *owner[worker], context.name, platform.worker_name(worker)));
      }
    }
    machines.push_back({std::move(context.name), std::move(context.workers)});
    for (const WorkerId worker : machines.back().workers) owner[worker] = &requests[machines.size() - 1].name;
  }
  return machines;
}

ClusterChoice choose(const Instance& instance, std::span<const Machine> machines, const CandidatesOf& candidates,
                     const Options& options) {
  if (instance.graph.edge_count() > 0) {
    throw InputError("--machines divides independent tasks; those of " + instance.name + " depend on each other");
  }
  const Means means = means_of(instance);
  const Candidate parts = as_parts(machines, instance.platform);
  std::vector<double> slowdown(machines.size(), 1);
  const auto choose_for = [&] {
    return choose_each(instance, machines, split(means, parts, options.reading, slowdown), candidates, options);
  };
  ClusterChoice best = choose_for();
  if (options.method == Method::estimate || options.objective != Objective::time) return best;
  for (int i = 0; i < kSplits; ++i) {
    correct(best, slowdown);
    ClusterChoice next = choose_for();
    if (next.makespan() >= best.makespan()) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace heddle::partition
