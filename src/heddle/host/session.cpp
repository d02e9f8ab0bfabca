#include "heddle/host/session.hpp"

#include <algorithm>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::host {

Session::Session(const Instance& instance, policy::Policy policy, Aborts aborts)
    : instance_(&instance),
      policy_(std::move(policy)),
      view_(instance),
      aborts_(aborts),
      status_(instance.graph.task_count(), Status::waiting) {
  if (aborts == Aborts::none) view_.forbid_aborts();
}

void Session::resume(Table<TaskId, Status> status) {
  status_ = std::move(status);
  ready_ = static_cast<std::size_t>(std::ranges::count(status_, Status::ready));
  done_ = static_cast<std::size_t>(std::ranges::count(status_, Status::done));
}

void Session::start(const policy::Lookahead* lookahead) {
  view_.set_lookahead(lookahead);
  policy_.start(view_);
  view_.set_lookahead(nullptr);
}

void Session::set_available(WorkerId worker, bool available) {
  const TaskId task = view_.running(worker);
  const bool was_held = task != kNone<TaskId> && release(task);
  view_.set_available(worker, available);
  tell_workers_changed();
  if (was_held) ready(std::span(&task, 1));
}

void Session::show_hidden() {
  for (const WorkerId worker : hidden_) view_.mark_idle(worker, is_free(worker));
  hidden_.clear();
}

/// Whether the attempt that begins if the worker gets the task is one to think about. A class that is faster for the
/// task than all others keeps it, and what is given ahead suits its worker.
bool Session::may_be_aborted(TaskId task, WorkerId worker) const {
  const ClassId here = instance_->platform.class_of(worker);
  const auto is_as_fast = [&](ClassId c) { return c != here && view_.estimate(task, c) <= view_.estimate(task, here); };
  return !view_.asks_ahead() && std::ranges::any_of(instance_->platform.classes(), is_as_fast);
}

void Session::hold_back(const Held& held) {
  const Time estimate = view_.estimate(held.task, instance_->platform.class_of(held.worker));
  view_.begin(held.worker, held.task, view_.transfer_estimate(held.task, view_.memory_of(held.worker)) + estimate);
  view_.set_committed(held.task, false);
  held_.push_back(held);
  started(held.task, held.worker);
}

/// Takes the task back if it is held back; false when it is not.
bool Session::release(TaskId task) {
  const auto held = std::ranges::find(held_, task, &Held::task);
  if (held == held_.end()) return false;
  const WorkerId worker = held->worker;
  held_.erase(held);
  view_.end(worker);
  aborted(task, worker);
  return true;
}

void Session::refused(TaskId task, WorkerId worker) {
  status_[task] = Status::ready;
  ++ready_;
  tell_refused(policy::Action::Kind::run, task, worker);
}

void Session::tell_refused(policy::Action::Kind kind, TaskId task, WorkerId worker) {
  policy_.refused(view_, {kind, task, worker});
}

void Session::report_illegal(policy::Action::Kind kind, TaskId task, WorkerId worker, const char* reason) const {
  throw InternalError(policy::describe_illegal({kind, task, worker}, view_, reason));
}

void Session::report_stuck() const {
  throw InternalError("the policy waits for ever at " + format_seconds(view_.now()) +
                      " s: " + std::to_string(status_.size() - done_) + " tasks are left and nothing runs");
}

}  // namespace heddle::host
