#include "heddle/host/session.hpp"

#include <algorithm>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::host {

Session::Session(const Instance& instance, policy::Policy policy)
    : instance_(&instance),
      policy_(std::move(policy)),
      view_(instance),
      status_(instance.graph.task_count(), Status::waiting) {}

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

void Session::ready(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) status_[task] = Status::ready;
  ready_ += tasks.size();
  policy_.ready(view_, tasks);
}

void Session::report_illegal(const policy::Action& action, const char* reason) const {
  const bool known = index(action.task) < status_.size();
  const bool placed = index(action.worker) < instance_->platform.worker_count();
  throw InternalError("the policy asked for what cannot be done with task '" +
                      std::string(known ? instance_->graph.name(action.task) : "?") + "' on worker '" +
                      (placed ? instance_->platform.worker_name(action.worker) : "?") + "' at " +
                      format_seconds(view_.now()) + " s: " + reason);
}

void Session::report_stuck() const {
  throw InternalError("the policy waits for ever at " + format_seconds(view_.now()) +
                      " s: " + std::to_string(status_.size() - done_) + " tasks are left and nothing runs");
}

}  // namespace heddle::host
