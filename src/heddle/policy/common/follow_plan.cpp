#include "heddle/policy/common/follow_plan.hpp"

#include <algorithm>
#include <tuple>

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

}  // namespace

std::vector<Attempt> plan_order(const View& view, std::span<const Attempt> plan) {
  check(view, plan);
  std::vector<Attempt> ordered(plan.begin(), plan.end());
  std::ranges::stable_sort(
      ordered, [](const Attempt& a, const Attempt& b) { return std::tie(a.start, a.end) < std::tie(b.start, b.end); });
  return ordered;
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
    if (taken_[index(task)]) orphans_.push_back(task);
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
    orphans_.insert(orphans_.end(), queue.tasks.begin() + static_cast<std::ptrdiff_t>(queue.next), queue.tasks.end());
    queue.next = queue.tasks.size();
  }
}

Action FollowPlan::next(const View& view) {
  Action action = prefetches_.next();
  if (action.kind == Action::Kind::prefetch) return action;
  view.visit_idle([&](WorkerId worker) {
    Queue& queue = queues_[worker];
    while (queue.next < queue.tasks.size() && taken_[index(queue.tasks[queue.next])]) ++queue.next;
    if (queue.next == queue.tasks.size() || !ready_[index(queue.tasks[queue.next])]) return false;
    action = run(queue.tasks[queue.next++], worker);
    return true;
  });
  if (action.kind == Action::Kind::wait && !orphans_.empty()) action = run_orphan(view);
  if (action.kind == Action::Kind::run) {
    ready_[index(action.task)] = false;
    taken_[index(action.task)] = true;
  }
  return action;
}

Action FollowPlan::run_orphan(const View& view) {
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    const ClassId c = view.platform().class_of(worker);
    const auto found =
        std::ranges::find_if(orphans_, [&](TaskId task) { return ready_[index(task)] && view.can_run(task, c); });
    if (found == orphans_.end()) return false;
    action = run(*found, worker);
    orphans_.erase(found);
    return true;
  });
  return action;
}

}  // namespace heddle::policy
