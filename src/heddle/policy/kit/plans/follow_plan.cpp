#include "heddle/policy/kit/plans/follow_plan.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::policy {
namespace {

void check(const View& view, std::span<const Attempt> plan) {
  Table<TaskId, std::uint32_t> count(view.graph().task_count(), 0);
  for (const Attempt& attempt : plan) {
    ++count[attempt.task];
    const ClassId c = view.platform().class_of(attempt.worker);
    if (view.can_run(attempt.task, c)) continue;
    throw InputError("the plan puts task '" + std::string(view.graph().name(attempt.task)) + "' on class '" +
                     view.platform().class_name(c) + "', which cannot run it");
  }
  for (const TaskId task : view.graph().tasks()) {
    if (count[task] == 1) continue;
    throw InputError("the plan completes task '" + std::string(view.graph().name(task)) + "' " +
                     std::to_string(count[task]) + " times; expected once");
  }
}

/// What is in the way of each task when a plan is followed: its predecessors and the task before it on its worker.
class Obstacles {
 public:
  Obstacles(const TaskGraph& graph, std::span<const Attempt> ordered, std::size_t workers)
      : graph_(graph), before_(graph.task_count(), kNone<TaskId>), after_(before_), left_(graph.task_count()) {
    Table<WorkerId, TaskId> last(workers, kNone<TaskId>);
    for (const Attempt& attempt : ordered) {
      const TaskId before = std::exchange(last[attempt.worker], attempt.task);
      before_[attempt.task] = before;
      if (before != kNone<TaskId>) after_[before] = attempt.task;
    }
    count_off();
  }

  /// A task that comes after one on its worker that has to wait for it, maybe by way of others; kNone without such.
  [[nodiscard]] TaskId find_too_late() const {
    const auto tasks = graph_.tasks();
    const auto blocked = std::find_if(tasks.begin(), tasks.end(), [&](TaskId task) { return left_[task] > 0; });
    if (blocked == tasks.end()) return kNone<TaskId>;
    // Backwards until a task repeats; on such a cycle is such a task, since dependencies alone form none.
    TaskId task = *blocked;
    for (Table<TaskId, bool> visited(graph_.task_count(), false); !visited[task]; task = obstacle(task)) {
      visited[task] = true;
    }
    while (blocked_predecessor(task) != kNone<TaskId>) task = obstacle(task);
    return task;
  }
  [[nodiscard]] TaskId before(TaskId task) const { return before_[task]; }

 private:
  /// Kahn's algorithm: what is left over is in a cycle or behind one.
  void count_off() {
    std::vector<TaskId> free;
    for (const TaskId task : graph_.tasks()) {
      left_[task] = graph_.predecessors(task).size() + (before_[task] == kNone<TaskId> ? 0 : 1);
      if (left_[task] == 0) free.push_back(task);
    }
    const auto release = [&](TaskId task) {
      if (--left_[task] == 0) free.push_back(task);
    };
    while (!free.empty()) {
      const TaskId task = free.back();
      free.pop_back();
      for (const TaskId next : graph_.successors(task)) release(next);
      if (after_[task] != kNone<TaskId>) release(after_[task]);
    }
  }

  [[nodiscard]] TaskId blocked_predecessor(TaskId task) const {
    const auto all = graph_.predecessors(task);
    const auto found = std::ranges::find_if(all, [&](TaskId before) { return left_[before] > 0; });
    return found == all.end() ? kNone<TaskId> : *found;
  }
  /// Of what is in the way of a task that is left over, one that is left over as well.
  [[nodiscard]] TaskId obstacle(TaskId task) const {
    const TaskId predecessor = blocked_predecessor(task);
    return predecessor == kNone<TaskId> ? before_[task] : predecessor;
  }

  const TaskGraph& graph_;
  Table<TaskId, TaskId> before_;  ///< on the same worker
  Table<TaskId, TaskId> after_;
  Table<TaskId, std::size_t> left_;  ///< obstacles
};

void check_order(const View& view, std::span<const Attempt> ordered) {
  const Obstacles obstacles(view.graph(), ordered, view.platform().worker_count());
  const TaskId task = obstacles.find_too_late();
  if (task == kNone<TaskId>) return;
  const auto name = [&](TaskId which) { return "task '" + std::string(view.graph().name(which)) + "'"; };
  throw InputError("the plan puts " + name(obstacles.before(task)) + " before " + name(task) +
                   " on one worker, though the first has to wait for the second");
}

}  // namespace

std::vector<Attempt> plan_order(const View& view, std::span<const Attempt> plan) {
  check(view, plan);
  std::vector<Attempt> ordered(plan.begin(), plan.end());
  sort_by_start(view.graph(), ordered);
  check_order(view, ordered);
  return ordered;
}

bool nothing_runs(const View& view) {
  return std::ranges::all_of(view.platform().workers(),
                             [&](WorkerId worker) { return view.running(worker) == kNone<TaskId>; });
}

void FollowPlan::start(const View& view, std::span<const Attempt> plan) {
  queues_.assign(view.platform().worker_count(), {});
  ready_.assign(view.graph().task_count(), false);
  taken_.assign(view.graph().task_count(), false);
  if (view.moves_data()) worker_.resize(view.graph().task_count());
  for (const Attempt& attempt : plan_order(view, plan)) {
    queues_[attempt.worker].tasks.push_back(attempt.task);
    if (view.moves_data()) worker_[attempt.task] = attempt.worker;
  }
}

void FollowPlan::ready(const View& view, std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) {
    ready_[index(task)] = true;
    if (view.moves_data()) prefetches_.add(view, task, worker_[task]);
    // One that was started before comes back: its place in the queue is past.
    if (taken_[index(task)]) unassigned_.push_back(task);
  }
}

void FollowPlan::started(const View&, TaskId task, WorkerId) {
  taken_[index(task)] = true;
}

void FollowPlan::refused(const View& view, Action action) {
  if (action.kind == Action::Kind::run) ready(view, std::span(&action.task, 1));
}

void FollowPlan::workers_changed(const View& view) {
  for (const WorkerId worker : queues_.ids()) {
    if (view.is_available(worker)) continue;
    Queue& queue = queues_[worker];
    unassigned_.insert(unassigned_.end(), queue.tasks.begin() + static_cast<std::ptrdiff_t>(queue.next),
                       queue.tasks.end());
    queue.next = queue.tasks.size();
  }
}

Action FollowPlan::next(const View& view) {
  if (prefetches_.are_left()) return prefetches_.next();
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    Queue& queue = queues_[worker];
    while (queue.next < queue.tasks.size() && taken_[index(queue.tasks[queue.next])]) ++queue.next;
    if (queue.next == queue.tasks.size() || !ready_[index(queue.tasks[queue.next])]) return false;
    action = run(queue.tasks[queue.next++], worker);
    return true;
  });
  if (action.kind == Action::Kind::wait && !unassigned_.empty()) action = run_unassigned(view);
  if (action.kind == Action::Kind::wait && nothing_runs(view)) action = run_out_of_order(view);
  if (action.kind == Action::Kind::run) {
    ready_[index(action.task)] = false;
    taken_[index(action.task)] = true;
  }
  return action;
}

Action FollowPlan::run_unassigned(const View& view) {
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    const ClassId c = view.platform().class_of(worker);
    const auto found =
        std::ranges::find_if(unassigned_, [&](TaskId task) { return ready_[index(task)] && view.can_run(task, c); });
    if (found == unassigned_.end()) return false;
    action = run(*found, worker);
    unassigned_.erase(found);
    return true;
  });
  return action;
}

Action FollowPlan::run_out_of_order(const View& view) const {
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    const auto left = std::span(queues_[worker].tasks).subspan(queues_[worker].next);
    const auto found =
        std::ranges::find_if(left, [&](TaskId task) { return ready_[index(task)] && !taken_[index(task)]; });
    if (found == left.end()) return false;
    action = run(*found, worker);
    return true;
  });
  return action;
}

}  // namespace heddle::policy
