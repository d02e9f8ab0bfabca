#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "heddle/runtime/submission/job_contexts.hpp"
#include "heddle/runtime/submission/nested_tasks.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/submission/node_pool.hpp"
#include "heddle/runtime/submission/recording.hpp"
#include "heddle/runtime/submission/type_table.hpp"
#include "heddle/runtime/task.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::runtime {

/// What programs submit, until the engine takes it up. Any thread may submit; the order of submission is the order in
/// which this is called.
class Submission {
 public:
  struct Submitted {
    Ref task;
    bool first;  ///< nothing else was pending: an idle worker may have to be woken
  };
  /// `makes_parts`: tasks that reduce into a datum may run at once, each in a private copy. `most_nested`: so many of
  /// the tasks that tasks have submitted are taken at once (take()).
  Submission(TypeTable::Bind bind, bool makes_parts, std::size_t most_nested);

  /// From now on tasks belong to these contexts. Throws InputError when tasks have been submitted, or recorded.
  void set_contexts(const JobContexts& contexts);
  /// From now on contexts are these, of which the first are those that there were. Throws InputError when there were
  /// none and tasks have been submitted or recorded, and when tasks that were could not run any more.
  void change_contexts(const JobContexts& contexts);
  /// Whether tasks have been submitted or recorded.
  [[nodiscard]] bool has_begun() const {
    const Lock lock(mutex_);
    return has_begun_;
  }
  [[nodiscard]] bool has_contexts() const {
    const Lock lock(mutex_);
    return !contexts_.empty();
  }

  /// Makes a node of a task, and finds what it depends on. `values`: plain arguments, laid out as Job::values. Throws
  /// InputError when no worker of its context can run the kernel, when a datum is accessed twice in ways that do not go
  /// together, or when it is reduced into and has no reduction. The options are taken apart; `context`: kNone where
  /// they name none. `nested`: a task submits it. With a recording, the task is only recorded, and waits for nothing
  /// outside it.
  Submitted submit(const std::shared_ptr<const KernelInfo>& kernel, std::span<const BlockAccess> accesses,
                   std::span<const std::byte> values, TaskOptions& options, ContextId context = kNone<ContextId>,
                   bool nested = false, Recording* recording = nullptr);
  /// Throws InputError when tasks have been submitted that reduce into the datum.
  void set_reduction(Block& block, std::shared_ptr<const Reduction> reduction);
  /// From now on tasks are recorded in it.
  void begin(const std::shared_ptr<Recording>& recording);
  /// Submits a run of recorded tasks: after all that was submitted before, before all that will be.
  /// Whether nothing else was pending. Throws InputError when data that they use is no more.
  bool submit(const std::shared_ptr<Recording>& recording);
  /// Ends the group of tasks that reduce into the datum, or all groups: what they left is brought together by tasks of
  /// their own. Whether nothing else was pending, and now something is.
  bool combine(Block& block);
  bool combine_all();
  /// Whether there are such groups.
  [[nodiscard]] bool reduces();
  /// The tasks of a recording as the program knows them, without dependencies: types are kernels, names those of
  /// traces; and the contexts that they belong to so far. Those that bring together what others reduced are left out.
  struct Tasks {
    TaskGraph graph;
    Contexts contexts;
  };
  [[nodiscard]] Tasks describe(const Recording& recording) const;
  /// All tasks of the recording are there, and belong to these contexts, if there are any. Throws InputError when a
  /// context has no worker that can run one of its tasks.
  void finish(Recording& recording, const Table<TaskId, ContextId>& contexts);

  /// How many tasks were submitted so far, recorded ones each time they are run.
  [[nodiscard]] std::uint64_t submitted() const { return submitted_.load(); }
  /// How many tasks were submitted and not yet taken, up to the next run of recorded ones; when there are many, some
  /// fewer may be told. Sequentially consistent: a worker that finds none after it said that it waits is seen to wait
  /// by the thread that submits one.
  [[nodiscard]] std::size_t pending() const { return pending_count_.load() + nested_tasks_.count(); }
  /// Whether some of these were held back (take()).
  [[nodiscard]] bool holds_back() const { return nested_tasks_.count() > 0; }
  /// How many records of tasks were made so far, which are used again and again; without those of recorded tasks.
  [[nodiscard]] std::size_t records() const {
    const Lock lock(mutex_);
    return nodes_.size();
  }
  /// Whether a run of recorded tasks comes before all other that is pending: it begins when nothing else is left.
  [[nodiscard]] bool recording_is_next() const { return recording_is_next_.load() && !holds_back(); }
  /// Appends pending tasks to `tasks`, which are those that are known, in order, up to the next run of recorded ones:
  /// all that the program has submitted; of those that tasks have submitted as many as NestedTasks lets go. Appends to
  /// `types` those that are new. Takes back the nodes of tasks that have ended (Node::number): `ended` is empty
  /// afterwards.
  void take(std::vector<Node*>& tasks, std::vector<TaskType*>& types, std::vector<std::uint32_t>& ended);
  /// The recording that is next, and the number of its first task; types as take().
  [[nodiscard]] std::pair<std::shared_ptr<Recording>, std::uint64_t> take_recording(std::vector<TaskType*>& types);
  /// Types as take() tells them, without tasks.
  void take_types(std::vector<TaskType*>& types);

  /// Forgets the types of tasks that have all ended, are not recorded, and whose kernel the program has not any more:
  /// programs that make kernels as they go would fill the memory otherwise. `epoch`: the one that has just been made,
  /// which knows all tasks that were taken and have not ended. Hands over what has to be destroyed without a lock, as
  /// it has parts of the program's. How many types are left.
  std::size_t forget_types(std::uint64_t epoch, std::vector<std::shared_ptr<const void>>& gone);

  /// What has to end before no task uses a datum any more, of those submitted so far.
  struct Users {
    std::vector<Ref> tasks;                              ///< the last ones: all others come before one of them
    std::uint64_t run = 0;                               ///< the last one of recorded tasks; 0: none
    std::vector<std::shared_ptr<Recording>> recordings;  ///< those that may run such tasks
  };
  /// Of a datum that is about to go: nothing that is submitted or recorded later is about it.
  [[nodiscard]] Users forget(Block& block);

 private:
  [[nodiscard]] bool check_accesses(const KernelInfo& kernel, std::span<const BlockAccess> accesses)
      HEDDLE_REQUIRES(mutex_);
  Ref add(TaskType& type, std::span<const BlockAccess> accesses, bool repeats, std::span<const std::byte> values,
          TaskOptions& options, bool nested, Recording* recording) HEDDLE_REQUIRES(mutex_);
  void combine(Block& block, Recording* recording) HEDDLE_REQUIRES(mutex_);
  void combine_all(Recording* recording) HEDDLE_REQUIRES(mutex_);
  void count_pending() HEDDLE_REQUIRES(mutex_);
  /// Data that tasks reduce into, without a recording or in it.
  [[nodiscard]] Reduced& reduced(Recording* recording) HEDDLE_REQUIRES(mutex_) {
    return recording != nullptr ? recording->reduced : reduced_;
  }
  void check_open(ContextId context) const HEDDLE_REQUIRES(mutex_);
  void enter_contexts(Recording& recording, const Table<TaskId, ContextId>& contexts) HEDDLE_REQUIRES(mutex_);
  [[nodiscard]] ContextId context_to_combine(ContextId wanted) const HEDDLE_REQUIRES(mutex_);
  [[nodiscard]] bool is_new(Block& block) HEDDLE_REQUIRES(mutex_) {
    return std::exchange(block.seen, looks_) != looks_;
  }
  void depend_on(const Ref& ref) HEDDLE_REQUIRES(mutex_);
  void unify_predecessors() HEDDLE_REQUIRES(mutex_);
  void fill(Node& node, std::span<const BlockAccess> accesses, std::span<const std::byte> values) const
      HEDDLE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::uint64_t next_sequence_ HEDDLE_GUARDED_BY(mutex_) = 1;
  std::uint64_t looks_ HEDDLE_GUARDED_BY(mutex_) = 0;  ///< at the data of a task
  std::atomic<std::uint64_t> submitted_{0};
  std::deque<Node*> pending_ HEDDLE_GUARDED_BY(mutex_);
  std::size_t nested_ HEDDLE_GUARDED_BY(mutex_) = 0;      ///< of those that are pending
  std::deque<Node*> taken_;                               ///< in take(), which one thread calls at a time
  std::size_t runs_ HEDDLE_GUARDED_BY(mutex_) = 0;        ///< of recordings that are pending
  std::uint64_t all_runs_ HEDDLE_GUARDED_BY(mutex_) = 0;  ///< so far: the number of the last one
  JobContexts contexts_ HEDDLE_GUARDED_BY(mutex_);
  bool has_begun_ HEDDLE_GUARDED_BY(mutex_) = false;  ///< to submit or to record
  const bool may_make_parts_;
  bool makes_parts_ HEDDLE_GUARDED_BY(mutex_);
  Reduced reduced_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<Ref> predecessors_ HEDDLE_GUARDED_BY(mutex_);  ///< of the task being submitted
  std::vector<std::weak_ptr<Recording>> recordings_ HEDDLE_GUARDED_BY(mutex_);
  TypeTable types_ HEDDLE_GUARDED_BY(mutex_);
  NodePool nodes_ HEDDLE_GUARDED_BY(mutex_);
  // Read by workers again and again: apart from what every submission writes.
  alignas(64) std::atomic<std::size_t> pending_count_{0};
  NestedTasks nested_tasks_;  ///< those that are not pending any more; otherwise as taken_
  std::atomic<bool> recording_is_next_{false};
  /// 1: take() is called, and threads that submit let it have the lock. Otherwise one that submits in a loop, on the
  /// same core, has the lock again before the other thread runs, for milliseconds in which no worker gets the engine's
  /// lock.
  std::atomic<std::uint32_t> taking_{0};
};

}  // namespace heddle::runtime
