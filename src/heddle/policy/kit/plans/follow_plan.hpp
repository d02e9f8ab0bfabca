#pragma once

#include <span>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/policy/kit/queues/prefetches.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The attempts of a plan by start (sort_by_start). Throws InputError when a task is not in it exactly once, is on a
/// class that cannot run it, or comes before one on its worker that it has to wait for.
[[nodiscard]] std::vector<Attempt> plan_order(const View& view, std::span<const Attempt> plan);

/// Whether no worker has a task. A policy that sees the whole run then always has the next task of its plan; one that
/// sees a part of it may wait for what it does not see.
[[nodiscard]] bool nothing_runs(const View& view);

/// Carries out a plan: each task on its worker, each worker's tasks in their order, each as soon as it is ready and the
/// worker is free; data that has to be moved is prefetched when a task becomes ready. Where actual durations differ
/// from the planned ones, starts shift and the order stays. While nothing runs, tasks that are ready do not wait for
/// those before them: these may wait for tasks that are not in this graph (contexts), which in turn may wait for those.
class FollowPlan {
 public:
  static constexpr bool kKeepsOrder = true;

  /// Takes allocation and order from planned attempts; workers go through theirs in plan_order(), which see.
  void start(const View& view, std::span<const Attempt> plan);
  void ready(const View& view, std::span<const TaskId> tasks);
  /// Also of tasks that were running when this took over.
  void started(const View& view, TaskId task, WorkerId worker);
  void refused(const View& view, Action action);
  /// Tasks of workers that left may run on any idle worker, in the order of the plan.
  void workers_changed(const View& view);
  [[nodiscard]] Action next(const View& view);

 private:
  struct Queue {
    std::vector<TaskId> tasks;
    std::size_t next = 0;
  };

  [[nodiscard]] Action run_unassigned(const View& view);
  [[nodiscard]] Action run_out_of_order(const View& view) const;

  Table<WorkerId, Queue> queues_;
  std::vector<bool> ready_;         ///< by task number
  std::vector<bool> taken_;         ///< started before, by task number
  std::vector<TaskId> unassigned_;  ///< tasks without a place in a queue
  Table<TaskId, WorkerId> worker_;
  Prefetches prefetches_;
};

}  // namespace heddle::policy
