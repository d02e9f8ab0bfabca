#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heddle/policy/kit/queues/task_queue.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::policy {

/// What the work stealers (Blumofe and Leiserson 1999) share: a queue in front of each worker, from which it takes the
/// first task that is there; an idle worker with an empty queue steals the first task that it can run from a victim's.
/// They differ in where a ready task waits, in the order of the queues and in how a victim is chosen.
///
/// Idle workers that have tasks of their own are served before any idle worker steals, and a worker that asks ahead
/// steals nothing: it is not idle yet.
class WorkStealing {
 public:
  void start(const View& view);
  void finished(std::span<const Completion> completions);

  /// The worker that released a ready task, the one on which the last of its predecessors ended, if it can run the
  /// task. Otherwise, and for tasks without predecessors, workers take turns. kNone when no available worker can run
  /// it.
  [[nodiscard]] WorkerId releaser(const View& view, TaskId task);
  /// Puts a task into the queue of a worker that can run it; smaller keys first, ties by task number. With kNone it
  /// waits until workers come back.
  void push(const View& view, TaskId task, WorkerId worker, std::int64_t key);
  /// How many tasks a thief would find in the queue of a worker.
  [[nodiscard]] std::size_t loot(const View& view, WorkerId victim, WorkerId thief) const {
    return queues_[victim].count(*kinds_, view.platform().class_of(thief));
  }
  /// The next task for an idle worker. choose_victim(thief) is asked only when there is loot for the thief, and names a
  /// worker that has some.
  template <class ChooseVictim>
  [[nodiscard]] Action serve(const View& view, ChooseVictim&& choose_victim) {
    Action action = serve_own(view);
    if (action.kind != Action::Kind::wait || view.asks_ahead()) return action;
    view.visit_idle([&](WorkerId thief) {
      if (waiting_for(view.platform().class_of(thief)) == 0) return false;
      action = run(take(view, choose_victim(thief), thief), thief);
      return true;
    });
    return action;
  }
  /// Removes and returns the tasks that wait for workers that are gone, by number.
  [[nodiscard]] std::vector<TaskId> take_unassigned(const View& view);

 private:
  struct Ended {
    std::uint32_t order = 0;  ///< among all completions, from 1 on; 0: not yet
    WorkerId worker = kNone<WorkerId>;
  };

  [[nodiscard]] static bool fits(const View& view, TaskId task, WorkerId worker) {
    return view.is_available(worker) && view.can_run(task, view.platform().class_of(worker));
  }
  [[nodiscard]] Action serve_own(const View& view);
  [[nodiscard]] TaskId take(const View& view, WorkerId from, WorkerId worker);
  [[nodiscard]] std::size_t waiting_for(ClassId c) const;

  std::shared_ptr<const Kinds> kinds_;
  Table<WorkerId, TaskQueue> queues_;
  std::vector<std::size_t> waiting_;  ///< tasks in all queues, by kind
  Table<TaskId, Ended> ended_;
  std::uint32_t completions_ = 0;
  std::size_t turn_ = 0;
  std::vector<TaskId> unassigned_;  ///< tasks that no available worker can run
};

}  // namespace heddle::policy
