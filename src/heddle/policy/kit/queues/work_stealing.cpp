#include "heddle/policy/kit/queues/work_stealing.hpp"

#include <algorithm>

namespace heddle::policy {

void WorkStealing::start(const View& view) {
  kinds_ = std::make_shared<const Kinds>(view.instance());
  queues_.assign(view.platform().worker_count(), TaskQueue(*kinds_));
  waiting_.assign(kinds_->count(), 0);
  ended_.assign(view.graph().task_count(), {});
}

void WorkStealing::finished(std::span<const Completion> completions) {
  for (const Completion& completion : completions) ended_[completion.task] = {++completions_, completion.worker};
}

WorkerId WorkStealing::releaser(const View& view, TaskId task) {
  Ended last;
  for (const TaskId predecessor : view.graph().predecessors(task)) {
    if (ended_[predecessor].order > last.order) last = ended_[predecessor];
  }
  if (last.order > 0 && fits(view, task, last.worker)) return last.worker;
  const std::size_t workers = view.platform().worker_count();
  for (std::size_t tries = 0; tries < workers; ++tries) {
    const WorkerId worker = make_id<WorkerId>(turn_++ % workers);
    if (fits(view, task, worker)) return worker;
  }
  return kNone<WorkerId>;
}

void WorkStealing::push(const View& view, TaskId task, WorkerId worker, std::int64_t key) {
  if (worker == kNone<WorkerId>) {
    unassigned_.push_back(task);
    return;
  }
  const std::size_t kind = kinds_->of(view.instance().costs.row(task));
  queues_[worker].push(kind, task, key);
  ++waiting_[kind];
}

TaskId WorkStealing::take(const View& view, WorkerId from, WorkerId worker) {
  const TaskId task = queues_[from].pop(*kinds_, view.platform().class_of(worker));
  if (task != kNone<TaskId>) --waiting_[kinds_->of(view.instance().costs.row(task))];
  return task;
}

Action WorkStealing::serve_own(const View& view) {
  Action action = wait();
  view.visit_idle([&](WorkerId worker) {
    const TaskId task = take(view, worker, worker);
    if (task == kNone<TaskId>) return false;
    action = run(task, worker);
    return true;
  });
  return action;
}

std::size_t WorkStealing::waiting_for(ClassId c) const {
  std::size_t tasks = 0;
  for (std::size_t kind = 0; kind < waiting_.size(); ++kind) {
    if (kinds_->can_run(kind, c)) tasks += waiting_[kind];
  }
  return tasks;
}

std::vector<TaskId> WorkStealing::take_unassigned(const View& view) {
  std::vector<TaskId> unassigned = std::move(unassigned_);
  unassigned_.clear();
  for (const WorkerId worker : queues_.ids()) {
    if (view.is_available(worker)) continue;
    for (const TaskId task : queues_[worker].take_all()) {
      --waiting_[kinds_->of(view.instance().costs.row(task))];
      unassigned.push_back(task);
    }
  }
  std::ranges::sort(unassigned);
  return unassigned;
}

}  // namespace heddle::policy
