#include "heddle/policy/checked_policy.hpp"

#include "heddle/model/error.hpp"

namespace heddle::policy {

CheckedPolicy::CheckedPolicy(std::string context, Spec spec, Policy policy)
    : who_(std::make_shared<const Who>(Who{std::move(context), std::move(spec)})), policy_(std::move(policy)) {}

void CheckedPolicy::recall(const CheckedPolicy& before) {
  call([&] { policy_.recall(before.policy_); });
}

void CheckedPolicy::workers_changed(const View& view) {
  call([&] { policy_.workers_changed(view); });
}

void CheckedPolicy::start(const View& view) {
  tasks_.assign(view.graph().task_count(), Progress::other);
  call([&] { policy_.start(view); });
}

void CheckedPolicy::ready(const View& view, std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) tasks_[task] = Progress::ready;
  call([&] { policy_.ready(view, tasks); });
}

void CheckedPolicy::started(const View& view, TaskId task, WorkerId worker) {
  tasks_[task] = Progress::runs;
  call([&] { policy_.started(view, task, worker); });
}

void CheckedPolicy::finished(const View& view, std::span<const Completion> completions) {
  for (const Completion& one : completions) tasks_[one.task] = Progress::other;
  call([&] { policy_.finished(view, completions); });
}

void CheckedPolicy::aborted(const View& view, TaskId task, WorkerId worker) {
  tasks_[task] = Progress::other;  // it is told ready
  call([&] { policy_.aborted(view, task, worker); });
}

void CheckedPolicy::refused(const View& view, Action action) {
  call([&] { policy_.refused(view, action); });
}

void CheckedPolicy::check(const View& view, const Action& action) {
  if (action.kind == Action::Kind::wait || std::exchange(instant_, view.now()) != view.now()) actions_ = 0;
  if (action.kind == Action::Kind::wait) return;
  const char* objection = nullptr;
  if (index(action.task) >= tasks_.size()) {
    objection = "there is no such task";
  } else if (is_endless(++actions_, view)) {
    objection = kEndless;
  } else {
    const Progress progress = tasks_[action.task];
    objection = objection_to(action, view, progress == Progress::ready, progress == Progress::runs);
  }
  if (objection == nullptr) return;
  throw InternalError("context '" + who_->context + "': " + describe_illegal(action, view, objection));
}

Action CheckedPolicy::next(const View& view) {
  return call([&] {
    const Action action = policy_.next(view);
    check(view, action);
    return action;
  });
}

}  // namespace heddle::policy
