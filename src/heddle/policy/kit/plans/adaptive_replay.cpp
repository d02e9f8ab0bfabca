#include "heddle/policy/kit/plans/adaptive_replay.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"

namespace heddle::policy {

void AdaptiveReplay::start(const View& view, std::span<const Attempt> plan, Time lead) {
  PlannedTasks tasks_of_plan;
  if (rules_.mapping_only || rules_.stolen_types > 0) tasks_of_plan.priority = priorities(view, rules_.priority);
  assign_tasks(view, plan_order(view, plan), lead, tasks_of_plan);
  tasks_of_plan.stolen = find_stolen_rows(view);
  planned_ = std::make_shared<const PlannedTasks>(std::move(tasks_of_plan));
  queues_.assign(view.platform().worker_count(), {});
  waits_for_.assign(view.graph().task_count(), kNone<WorkerId>);
  taken_.assign(view.graph().task_count(), false);
}

/// Where each task waits, and by which key.
void AdaptiveReplay::assign_tasks(const View& view, std::span<const Attempt> ordered, Time lead,
                                  PlannedTasks& tasks_of_plan) const {
  const Table<TaskId, ClassId> hinted = hinted_classes(view.instance(), rules_.hints);
  const std::size_t tasks = view.graph().task_count();
  tasks_of_plan.key.resize(tasks);
  tasks_of_plan.home.resize(tasks);
  tasks_of_plan.end.resize(tasks);
  tasks_of_plan.worker.assign(tasks, kNone<WorkerId>);
  tasks_of_plan.order.resize(view.platform().worker_count());
  // The plan may begin at another time than what is left of it: engines that really execute begin late.
  const auto first = std::ranges::min_element(ordered, {}, &Attempt::start);
  const Time shift = first == ordered.end() ? 0 : view.now() + lead - first->start;
  std::int64_t position = 0;
  for (const auto& [task, worker, start, end, outcome] : ordered) {
    const ClassId planned = view.platform().class_of(worker);
    tasks_of_plan.home[task] = hinted[task] == kNone<ClassId> ? planned : hinted[task];
    tasks_of_plan.end[task] = end + shift;
    tasks_of_plan.key[task] = rules_.mapping_only ? ~tasks_of_plan.priority[task] : position;
    ++position;
    const bool merged = rules_.merged_accelerators && planned == accelerators(view);
    if (rules_.mapping_only || merged || tasks_of_plan.home[task] != planned) continue;
    tasks_of_plan.worker[task] = worker;
    tasks_of_plan.order[worker].push_back(task);
  }
}

/// The rows with the highest acceleration factors among those of tasks, all at least 1.
std::vector<bool> AdaptiveReplay::find_stolen_rows(const View& view) const {
  const Costs& costs = view.instance().costs;
  std::vector<bool> stolen(costs.row_count(), false);
  if (rules_.stolen_types == 0) return stolen;
  const AccelerationRanks acceleration(view.instance());
  std::set<std::uint32_t> ranks;
  for (const TaskId task : view.graph().tasks()) {
    if (!acceleration.accelerated(costs.row(task))) continue;
    ranks.insert(acceleration.rank(costs.row(task)));
    if (ranks.size() > rules_.stolen_types) ranks.erase(std::prev(ranks.end()));
  }
  for (std::uint32_t row = 0; row < stolen.size(); ++row) stolen[row] = ranks.contains(acceleration.rank(row));
  return stolen;
}

void AdaptiveReplay::ready(const View& view, std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) place(view, task);
}

void AdaptiveReplay::finished(const View& view, std::span<const Completion> completions) {
  for (const Completion& completion : completions) late_ = late_ || view.now() > planned_->end[completion.task];
}

void AdaptiveReplay::started(const View&, TaskId task, WorkerId) {
  taken_[index(task)] = true;
}

void AdaptiveReplay::refused(const View& view, Action action) {
  if (action.kind == Action::Kind::run) place(view, action.task);
}

void AdaptiveReplay::place(const View& view, TaskId task) {
  const WorkerId worker = destination(view, task);
  if (worker == kNone<WorkerId>) {
    unassigned_.push_back(task);
    return;
  }
  const ClassId c = view.platform().class_of(worker);
  Queue& queue = queues_[worker];
  queue.heap.push_back({planned_->key[task], task});
  std::push_heap(queue.heap.begin(), queue.heap.end());
  ++queue.count;
  queue.work += view.estimate(task, c);
  if (c != accelerators(view)) ++with_groups_;
  if (is_stolen(view, task)) {
    queue.stolen.push_back({~planned_->priority[task], task});
    std::push_heap(queue.stolen.begin(), queue.stolen.end());
    ++stealable_;
  }
  waits_for_[task] = worker;
  prefetches_.add(view, task, worker);
}

WorkerId AdaptiveReplay::destination(const View& view, TaskId task) const {
  const WorkerId planned = planned_->worker[task];
  if (planned == kNone<WorkerId>) return earliest_end(view, task, planned_->home[task]);
  return view.is_available(planned) ? planned : kNone<WorkerId>;
}

WorkerId AdaptiveReplay::earliest_end(const View& view, TaskId task, ClassId c) const {
  WorkerId best = kNone<WorkerId>;
  Time least = kMaxTime;
  MemoryId memory = kNone<MemoryId>;
  Time arrival = 0;
  for (const WorkerId worker : view.platform().workers(c)) {
    if (!view.is_available(worker)) continue;
    if (memory != view.memory_of(worker)) {
      memory = view.memory_of(worker);
      arrival = view.now() + view.transfer_estimate(task, memory);
    }
    const Time end = std::max(view.expected_end(worker) + queues_[worker].work, arrival) + view.estimate(task, c);
    if (end >= least) continue;
    best = worker;
    least = end;
  }
  return best;
}

/// The task no longer waits.
void AdaptiveReplay::take(const View& view, TaskId task) {
  const WorkerId worker = std::exchange(waits_for_[task], kNone<WorkerId>);
  if (worker == kNone<WorkerId>) {
    std::erase(unassigned_, task);
    return;
  }
  const ClassId c = view.platform().class_of(worker);
  --queues_[worker].count;
  queues_[worker].work -= view.estimate(task, c);
  if (c != accelerators(view)) --with_groups_;
  if (is_stolen(view, task)) --stealable_;
}

void AdaptiveReplay::workers_changed(const View& view) {
  std::vector<TaskId> again = unassigned_;
  for (const TaskId task : waits_for_.ids()) {
    if (waits_for_[task] != kNone<WorkerId> && !view.is_available(waits_for_[task])) again.push_back(task);
  }
  for (const TaskId task : again) take(view, task);
  std::ranges::sort(again);
  ready(view, again);
}

template <class Choose>
Action AdaptiveReplay::serve(const View& view, const Choose& choose) {
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    const TaskId task = choose(worker);
    if (task == kNone<TaskId>) return false;
    take(view, task);
    taken_[index(task)] = true;
    action = run(task, worker);
    return true;
  });
  return action;
}

Action AdaptiveReplay::next(const View& view) {
  if (prefetches_.are_left()) return prefetches_.next();
  Action action = serve(view, [&](WorkerId worker) { return own(worker); });
  const bool departs = late_ || !rules_.only_when_late;
  if (action.kind == Action::Kind::wait && departs && !view.asks_ahead()) {
    action = serve(view, [&](WorkerId worker) { return adapt(view, worker); });
  }
  if (action.kind == Action::Kind::wait && !unassigned_.empty()) {
    action = serve(view, [&](WorkerId worker) { return unassigned_for(view, worker); });
  }
  if (action.kind == Action::Kind::wait && nothing_runs(view)) {  // as FollowPlan
    action = serve(view, [&](WorkerId worker) { return first(queues_[worker].heap, worker); });
  }
  return action;
}

/// The first task of a heap of a worker's that still waits for it.
TaskId AdaptiveReplay::first(std::vector<Item>& heap, WorkerId worker) const {
  while (!heap.empty() && waits_for_[heap.front().task] != worker) {
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  return heap.empty() ? kNone<TaskId> : heap.front().task;
}

/// What the plan lets the worker start now.
TaskId AdaptiveReplay::own(WorkerId worker) {
  Queue& queue = queues_[worker];
  const TaskId task = first(queue.heap, worker);
  if (task == kNone<TaskId> || planned_->worker[task] != worker || taken_[index(task)]) return task;
  const std::vector<TaskId>& order = planned_->order[worker];
  while (taken_[index(order[queue.next])]) ++queue.next;
  return order[queue.next] == task ? task : kNone<TaskId>;
}

TaskId AdaptiveReplay::adapt(const View& view, WorkerId worker) {
  if (view.platform().class_of(worker) == accelerators(view)) {
    return stealable_ > 0 ? steal_accelerated(worker) : kNone<TaskId>;
  }
  const bool steals = rules_.groups_steal && with_groups_ > 0 && queues_[worker].count == 0;
  return steals ? steal_from_groups(view, worker) : kNone<TaskId>;
}

TaskId AdaptiveReplay::steal_accelerated(WorkerId thief) {
  TaskId best = first(queues_[thief].stolen, thief);
  if (best != kNone<TaskId>) return best;
  for (const WorkerId worker : queues_.ids()) {
    const TaskId task = first(queues_[worker].stolen, worker);
    if (task == kNone<TaskId>) continue;
    const bool more_urgent = best == kNone<TaskId> || planned_->priority[task] > planned_->priority[best] ||
                             (planned_->priority[task] == planned_->priority[best] && task < best);
    if (more_urgent) best = task;
  }
  return best;
}

TaskId AdaptiveReplay::steal_from_groups(const View& view, WorkerId thief) {
  const std::size_t own_class = index(view.platform().class_of(thief));
  const std::size_t groups = index(accelerators(view));
  for (std::size_t distance = 0; distance < groups; ++distance) {
    TaskId task = kNone<TaskId>;
    if (distance <= own_class) task = steal_from_class(view, thief, own_class - distance);
    if (task == kNone<TaskId> && own_class + distance < groups) {
      task = steal_from_class(view, thief, own_class + distance);
    }
    if (task != kNone<TaskId>) return task;
  }
  return kNone<TaskId>;
}

/// The first waiting task that the thief can run, of the first worker of a class that has one.
TaskId AdaptiveReplay::steal_from_class(const View& view, WorkerId thief, std::size_t victims) {
  const ClassId c = view.platform().class_of(thief);
  for (const WorkerId worker : view.platform().workers(make_id<ClassId>(victims))) {
    if (queues_[worker].count == 0) continue;
    std::vector<Item>& heap = queues_[worker].heap;
    const TaskId task = first(heap, worker);
    if (view.can_run(task, c)) return task;
    const Item* best = nullptr;
    for (const Item& item : heap) {
      if (waits_for_[item.task] != worker || !view.can_run(item.task, c)) continue;
      if (best == nullptr || *best < item) best = &item;
    }
    if (best != nullptr) return best->task;
  }
  return kNone<TaskId>;
}

TaskId AdaptiveReplay::unassigned_for(const View& view, WorkerId worker) const {
  const ClassId c = view.platform().class_of(worker);
  const auto found = std::ranges::find_if(unassigned_, [&](TaskId task) { return view.can_run(task, c); });
  return found == unassigned_.end() ? kNone<TaskId> : *found;
}

}  // namespace heddle::policy
