#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heddle/model/hints.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/kit/queues/prefetches.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// Follows a plan and departs from it where that saves idle time. A ready task waits for its worker of the plan, which
/// keeps to the order of the plan. Each departure is a rule of its own; with none it is FollowPlan.
///
/// The class listed last is the accelerators, the others are groups of CPU cores. Rules that pool tasks let them wait
/// for the worker of their class that is expected to end them first, transfers counted, and run there by key: the most
/// urgent first when only the mapping is kept, else in the order of the plan.
class AdaptiveReplay {
 public:
  static constexpr bool kKeepsOrder = true;

  struct Rules {
    /// Keep only the class of each task; order and worker are free (Kumar 2017, sections 2.5.2 and 3.9).
    bool mapping_only = false;
    /// An idle accelerator takes the most urgent ready task of so many types, those best accelerated: one that waits
    /// for itself out of order, else one that waits for any other worker. Needs two classes (section 3.5.1).
    std::uint32_t stolen_types = 0;
    /// An idle CPU group for which no task waits takes the first ready one of another group, of the same class or else
    /// of the class nearest in the platform's order, which is that of size (section 4.4.4).
    bool groups_steal = false;
    /// Idle workers take what waits for others only once a task has ended later than planned: durations are not what
    /// the plan was made for. Before that the plan knows better when to wait.
    bool only_when_late = false;
    /// Tasks of the accelerators are pooled (section 4.4.4).
    bool merged_accelerators = false;
    /// Tasks that hints send to another class than the plan does are pooled there.
    std::vector<Hint> hints = {};
    Priority priority = Priority::bottom_level;
  };

  explicit AdaptiveReplay(Rules rules) : rules_(std::move(rules)) {}

  /// As FollowPlan. Throws InputError also for hints that the instance cannot follow. The first attempt of the plan is
  /// to start so long from now: `lead`, in which its data comes.
  void start(const View& view, std::span<const Attempt> plan, Time lead = 0);
  void ready(const View& view, std::span<const TaskId> tasks);
  /// Also of tasks that were running when this took over.
  void started(const View& view, TaskId task, WorkerId worker);
  void finished(const View& view, std::span<const Completion> completions);
  void refused(const View& view, Action action);
  /// Tasks of workers that left may run on any idle worker, unless they are pooled and their class has other workers.
  void workers_changed(const View& view);
  [[nodiscard]] Action next(const View& view);

 private:
  struct Item {
    std::int64_t key;
    TaskId task;
    bool operator<(const Item& other) const { return key != other.key ? key > other.key : task > other.task; }
  };
  /// What waits for a worker. Items of tasks that wait there no longer are dropped when they come to the top.
  struct Queue {
    std::vector<Item> heap;    ///< by key
    std::vector<Item> stolen;  ///< those of types that accelerators steal, by priority
    std::uint32_t count = 0;
    Time work = 0;
    std::size_t next = 0;  ///< in the plan's tasks of the worker
  };
  /// What never changes during a run; clones share it.
  struct PlannedTasks {
    Table<TaskId, std::int64_t> key;
    Table<TaskId, std::int64_t> priority;
    Table<TaskId, WorkerId> worker;  ///< of the plan; kNone for pooled tasks
    Table<TaskId, ClassId> home;
    Table<TaskId, Time> end;                     ///< when it ends in the plan
    Table<WorkerId, std::vector<TaskId>> order;  ///< tasks that are not pooled, in the order of the plan
    std::vector<bool> stolen;                    ///< by row: of a type that accelerators steal
  };

  [[nodiscard]] static ClassId accelerators(const View& view) {
    return make_id<ClassId>(view.platform().class_count() - 1);
  }
  void assign_tasks(const View& view, std::span<const Attempt> ordered, Time lead, PlannedTasks& tasks_of_plan) const;
  [[nodiscard]] std::vector<bool> find_stolen_rows(const View& view) const;
  [[nodiscard]] bool is_stolen(const View& view, TaskId task) const {
    return planned_->stolen[view.instance().costs.row(task)];
  }

  void place(const View& view, TaskId task);
  [[nodiscard]] WorkerId destination(const View& view, TaskId task) const;
  [[nodiscard]] WorkerId earliest_end(const View& view, TaskId task, ClassId c) const;
  void take(const View& view, TaskId task);
  [[nodiscard]] TaskId first(std::vector<Item>& heap, WorkerId worker) const;

  template <class Choose>
  [[nodiscard]] Action serve(const View& view, const Choose& choose);
  [[nodiscard]] TaskId own(WorkerId worker);
  [[nodiscard]] TaskId adapt(const View& view, WorkerId worker);
  [[nodiscard]] TaskId steal_accelerated(WorkerId thief);
  [[nodiscard]] TaskId steal_from_groups(const View& view, WorkerId thief);
  [[nodiscard]] TaskId steal_from_class(const View& view, WorkerId thief, std::size_t victims);
  [[nodiscard]] TaskId unassigned_for(const View& view, WorkerId worker) const;

  Rules rules_;
  std::shared_ptr<const PlannedTasks> planned_;
  Table<WorkerId, Queue> queues_;
  Table<TaskId, WorkerId> waits_for_;  ///< kNone: not ready, unassigned, or running
  std::vector<bool> taken_;            ///< started before, by task number
  std::vector<TaskId> unassigned_;     ///< ready tasks whose workers left
  std::uint32_t stealable_ = 0;        ///< tasks of types that accelerators steal, in all queues
  std::uint32_t with_groups_ = 0;      ///< tasks that wait for CPU groups
  bool late_ = false;                  ///< whether a task has ended later than planned
  Prefetches prefetches_;
};

}  // namespace heddle::policy
