#include <algorithm>

#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/plans/list_planner.hpp"
#include "heddle/policy/kit/plans/offline_plans.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// One critical path: from the entry with the longest path through it, always to the successor with the longest path
/// through it. Ties by number.
std::vector<TaskId> critical_tasks(const TaskGraph& graph, const Table<TaskId, std::int64_t>& through) {
  std::vector<TaskId> path;
  std::vector<TaskId> entries;
  for (const TaskId task : graph.tasks()) {
    if (graph.predecessors(task).empty()) entries.push_back(task);
  }
  std::span<const TaskId> candidates = entries;
  while (!candidates.empty()) {
    path.push_back(*std::ranges::max_element(candidates, {}, [&](TaskId task) { return through[task]; }));
    candidates = graph.successors(path.back());
  }
  return path;
}

/// The first worker of the class on which the tasks together take least; kNone when no class can run them all.
WorkerId critical_worker(const Instance& instance, const std::vector<TaskId>& tasks) {
  WorkerId best = kNone<WorkerId>;
  Time least = kMaxTime;
  for (const ClassId c : instance.platform.classes()) {
    if (!std::ranges::all_of(tasks, [&](TaskId task) { return instance.costs.can_run(task, c); })) continue;
    Time total = 0;
    for (const TaskId task : tasks) total += instance.costs.estimate(task, c);
    if (total >= least || instance.platform.workers(c).empty()) continue;
    best = *instance.platform.workers(c).begin();
    least = total;
  }
  return best;
}

}  // namespace

/// Critical path on a processor: tasks by the length of the longest path through them; those of one critical path all
/// on the worker that takes least for them together, the others where they finish first. Where no worker can run all of
/// the critical path, its tasks are treated like the others.
std::vector<Attempt> cpop_plan(const Instance& instance) {
  const Communication communication(instance);
  const Table<TaskId, std::int64_t> through = longest_paths_through(instance, Rank::avg, communication);
  const std::vector<TaskId> path = critical_tasks(instance.graph, through);
  const WorkerId worker = critical_worker(instance, path);
  std::vector<bool> critical(instance.graph.task_count(), false);
  if (worker != kNone<WorkerId>) {
    for (const TaskId task : path) critical[index(task)] = true;
  }
  ListPlanner planner(instance, communication);
  return planner.plan(through, [&](const ListPlanner& offers, TaskId task) {
    return critical[index(task)] ? offers.on_worker(task, worker) : offers.earliest_finish(task);
  });
}

namespace {

class Cpop : public FollowPlan {
 public:
  void start(const View& view) { FollowPlan::start(view, cpop_plan(view.instance())); }
};

}  // namespace

Entry cpop() {
  return {.name = "cpop",
          .summary = "Offline: the critical path runs on one worker, all other tasks where they finish first",
          .publication = "Topcuoglu, Hariri and Wu 2002, doi:10.1109/71.993206, section 4.2",
          .complexity = "O(n w log n + e)",
          .options = {},
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make = [](const Setup&) { return Policy(Cpop()); }};
}

}  // namespace heddle::policy
