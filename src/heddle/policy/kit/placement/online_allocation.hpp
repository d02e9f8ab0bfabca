#pragma once

#include <concepts>
#include <span>
#include <utility>

#include "heddle/policy/kit/queues/worker_queues.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// Gives a task that has just become ready a class that can run it. The queues hold what was placed so far.
template <class Rule>
concept AllocationRule =
    std::copyable<Rule> && requires(Rule rule, const View& view, const WorkerQueues& queues, TaskId task) {
      { rule(view, queues, task) } -> std::same_as<ClassId>;
    };

/// Online scheduling in two steps: a rule gives each ready task, in task order, a class; it goes to the worker of that
/// class which is expected to be free first (ties to the smallest number), first in, first out. It stays there.
template <AllocationRule Rule>
class OnlineAllocation {
 public:
  explicit OnlineAllocation(Rule rule) : rule_(std::move(rule)) {}

  void start(const View& view) {
    queues_.reset(view);
    if constexpr (requires { rule_.start(view); }) rule_.start(view);
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) place(view, task);
  }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) place(view, action.task);
  }

  void workers_changed(const View& view) { ready(view, queues_.take_unassigned(view)); }

  [[nodiscard]] Action next(const View& view) { return queues_.serve(view); }

 private:
  void place(const View& view, TaskId task) {
    const ClassId allocated = rule_(view, queues_, task);
    if (push(view, task, allocated)) return;
    // All workers of its class have left.
    for (const ClassId c : view.platform().classes()) {
      if (view.can_run(task, c) && push(view, task, c)) return;
    }
    queues_.keep(task);
  }

  bool push(const View& view, TaskId task, ClassId c) {
    const WorkerId worker = queues_.earliest_free(view, c);
    if (worker == kNone<WorkerId>) return false;
    queues_.push(view, worker, task, view.estimate(task, c));
    return true;
  }

  Rule rule_;
  WorkerQueues queues_;
};

}  // namespace heddle::policy
