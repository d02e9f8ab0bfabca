#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/runtime/data/copies.hpp"
#include "heddle/runtime/data/data_store.hpp"
#include "heddle/runtime/data/memory_places.hpp"
#include "heddle/runtime/models/links.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/scheduling/afterwards.hpp"
#include "heddle/runtime/scheduling/epoch.hpp"
#include "heddle/runtime/scheduling/known_types.hpp"
#include "heddle/runtime/scheduling/offers.hpp"
#include "heddle/runtime/scheduling/overruns.hpp"
#include "heddle/runtime/scheduling/policy_maker.hpp"
#include "heddle/runtime/scheduling/progress.hpp"
#include "heddle/runtime/scheduling/recorded_runs.hpp"
#include "heddle/runtime/scheduling/resizable_contexts.hpp"
#include "heddle/runtime/scheduling/turns.hpp"
#include "heddle/runtime/scheduling/validity.hpp"
#include "heddle/runtime/scheduling/worker_set.hpp"
#include "heddle/runtime/submission/submission.hpp"
#include "heddle/runtime/threads/run_clock.hpp"
#include "heddle/runtime/threads/waiters.hpp"
#include "heddle/runtime/trace/recorder.hpp"
#include "heddle/sim/simulate.hpp"

namespace heddle::runtime {

/// The policy's host: which tasks there are and how far they have come, what the policy is told of it, and what its
/// answers come to. Guarded by the engine's lock.
class Scheduler {
 public:
  /// How often a worker that waits for its device, or for data, while no worker is idle, looks at what is pending.
  static constexpr Time kPeek = kMillisecond;

  /// All references must outlive it. Throws InputError when the policy cannot decide on such workers.
  Scheduler(const Config& config, const Platform& platform, const RunClock& clock, Submission& submission,
            Progress& progress, const std::vector<std::unique_ptr<Worker>>& workers, Links& links,
            std::optional<History> history);

  /// Throws InputError when the policies of these contexts cannot decide.
  void check_contexts(const JobContexts& contexts) const { new_policy_.check_contexts(contexts, platform_); }
  /// From now on they do; before the first epoch.
  void set_contexts(const JobContexts& contexts);
  /// From the next epoch on, which begins at once where tasks are left, contexts are these, of which the first are
  /// those that there were.
  void change_contexts(const JobContexts& contexts);

  /// What the worker has begun, from `began` on, has ended, on its thread, which waited so long for the lock; the
  /// policy decides what comes next. For how long the worker backs off now, unless it is given a task; 0: it does not.
  [[nodiscard]] Time executions_ended(WorkerId id, Time began, Time ended, Time waited);
  /// Operations of the worker's device are over, on its thread: executions, and transfers, so that executions that
  /// missed these may begin. None: it looks around.
  void operations_ended(WorkerId worker, std::span<const Driver::Ended> ended);
  /// Takes up what is pending, if it is time, and lets the policy decide; on the thread of `worker`.
  void look_around(WorkerId id);
  /// What is to be done once the lock is free.
  [[nodiscard]] Deferred& deferred() { return deferred_; }
  /// So many of the program's parts of it are done.
  void calls_returned(std::size_t count) {
    if (deferred_.returned(count)) waiters_.ended().notify_all();
  }

  /// What simulators and bounds are told of recorded tasks, and which of their durations are guesses; while none runs.
  [[nodiscard]] std::pair<Instance, std::vector<std::string>> describe(const Recording& recording);
  /// All that was submitted so far and has not begun is cancelled.
  void cancel();
  /// The first failure since the last call; null when there was none. When nothing is left, data has a valid value
  /// again, which is what the program makes it.
  [[nodiscard]] std::exception_ptr take_failure();
  /// The datum is no more.
  void forget(Block& block);
  /// Why the task, which has ended, failed; null when it did not.
  [[nodiscard]] std::exception_ptr failure_of(std::uint64_t sequence) const { return validity_.failure_of(sequence); }
  /// What the program's function for the end of a task has thrown surfaces like a failure of the task, which it is not.
  void note_failure(const std::exception_ptr& failure) { validity_.note(failure); }
  /// Whether no task of the runs of recorded tasks up to this one uses the datum any more.
  [[nodiscard]] bool is_done_with(Block& block, std::uint64_t run) const {
    return runs_.is_done_with(block, run, nothing_left());
  }
  /// Workers whose executions were aborted and have not returned.
  [[nodiscard]] std::size_t zombies() const { return zombies_; }
  [[nodiscard]] Copies& copies() { return copies_; }
  /// Of the tasks that have ended, from `begin` on. Throws InputError when nothing was recorded.
  [[nodiscard]] Trace trace(Time begin) const;
  /// Keeps what was learnt for the next run.
  void save_history() { types_.save_history(); }
  /// Nothing is recorded any more of what the policy is told.
  void finish_facts();
  [[nodiscard]] Waiters& waiters() { return waiters_; }
  [[nodiscard]] const WorkerSet& workers() const { return workers_; }
  /// What a thread that waits may want at once: no worker keeps to itself that tasks have ended.
  void empty_all_batches();
  /// Values that are final leave for home, if that is wanted.
  void send_final_home();

 private:
  class Acts;
  class ActsAhead;

  void execution_ended(Execution& execution);
  void kernel_ended(Worker& worker, const Driver::Ended& ended);
  void transfer_ended(WorkerId worker, const Driver::Ended& ended);

  // A task's way.
  void report(Worker& worker, std::uint32_t executed);
  [[gnu::always_inline]] inline void end(Execution& execution);
  void defer_call(const Node& node);
  [[gnu::always_inline]] inline void learn(const Execution& execution, const Node& node);
  [[gnu::always_inline]] inline void leave(Node& node, const std::exception_ptr& failure);
  void close(Node& node, const std::exception_ptr& failure);
  void drop_poisoned(std::vector<Node*>& nodes);
  void settle();
  void settle_all();
  /// Why the task, whose predecessors have ended, cannot run; null when it can.
  [[nodiscard]] std::exception_ptr poison_of(const Node& node) const {
    if (!validity_.may_be_poisoned(node)) [[likely]]
      return nullptr;
    return validity_.poison_of(node, runs_.before(node));
  }
  [[nodiscard]] [[gnu::always_inline]] inline bool becomes_ready(Node& node);
  void call_waiting();
  void note_contexts();
  void adopt_moves();

  // The policy's decisions.
  void act(Worker& worker, Time time);
  [[gnu::always_inline]] inline void decide(Time time);
  [[gnu::always_inline]] inline void ask_policy();
  void ask_ahead();
  void fill_batch();
  bool empty_batches();
  template <class Select>
  bool empty_batches(Select&& select);
  [[nodiscard]] bool may_back_off(const Worker& worker) const;
  void end_back_off(Worker& worker, bool missed);
  [[nodiscard]] bool end_one_back_off();
  [[nodiscard]] bool send_one_away();
  [[nodiscard]] bool empty_batch(Worker& worker);
  [[nodiscard]] bool wants_more(const Worker& worker) const;
  [[nodiscard]] bool asks(const Worker& worker) const;
  [[nodiscard]] [[gnu::always_inline]] inline bool refuses(TaskId task);
  [[gnu::always_inline]] inline void give(TaskId task, WorkerId id);
  void take_back(TaskId task);

  // Workers whose thread may not run.
  void leave(Worker& worker, Time time);
  void come_back(Worker& worker);
  void tell_away();

  // What workers were given.
  /// Tells the view whether the policy can abort the execution.
  void note_committed(const Execution& execution) {
    if (new_policy_.aborts() == host::Aborts::allowed)
      epoch_->view().set_committed(execution.node->task, !execution.may_abort);
  }
  [[nodiscard]] MemoryId place_of(WorkerId worker) const { return places_.of(platform_.memory_of(worker)); }
  void request(Transfer& transfer);
  void stage(Execution& execution);
  [[nodiscard]] OutOfMemory out_of_memory(const Execution& execution) const;
  /// There may be room again.
  void stage_again() {
    if (!starved_.empty()) [[unlikely]]
      stage_starved();
  }
  void stage_starved();
  /// Starts what the worker has next, if nothing is missing any more.
  void advance(Worker& worker);
  [[nodiscard]] [[gnu::always_inline]] inline bool can_start(Execution& execution);
  /// A policy that keeps an order of its own is told that tasks are ready before they have what they commute on, which
  /// others still write. On a device, what a task reduces into is written in place.
  [[nodiscard]] static bool waits_for_turn(const Execution& execution) {
    const Node& node = *execution.node;
    if (!node.commutes && !node.reduces) [[likely]]
      return false;
    return (node.commutes && !node.holds) || (reduces_on_device(execution) && execution.parts.empty());
  }
  [[nodiscard]] static bool reduces_on_device(const Execution& execution) {
    return execution.node->reduces && execution.memory != kHost;
  }
  [[nodiscard]] static bool take_turn(Execution& execution);
  [[gnu::always_inline]] inline void start(Worker& worker, Execution& execution);
  void refuse(Execution& execution, const std::exception_ptr& why);
  void withdraw(Execution& execution);
  [[nodiscard]] std::vector<TaskId> take_back(Worker& worker, std::size_t first, std::size_t count);
  void take_back_ahead();
  /// Tells the view what the worker has, and when it is expected to be free.
  void expect(WorkerId id) {
    const Worker& worker = workers_[id];
    worker.given.empty() && worker.back_off.duration() == 0 ? epoch_->view().end(id) : expect(worker, id);
  }
  void expect(const Worker& worker, WorkerId id);

  // Epochs.
  [[nodiscard]] bool is_outdated() const { return progress_.outdated.load(std::memory_order_relaxed); }
  [[nodiscard]] Time look_again() const { return progress_.look_again.load(std::memory_order_relaxed); }
  [[nodiscard]] bool nothing_left() const { return epoch_ == nullptr || epoch_->left() == 0; }
  /// How many tasks no worker has that the policy could give to one.
  [[nodiscard]] std::size_t ready_count() const { return epoch_ != nullptr ? epoch_->session().ready_count() : 0; }
  /// It was not done just now, and as many are new as are known, or a worker is idle. Where tasks are held back, others
  /// come when the policy has none to give: `asked`, to idle workers.
  [[nodiscard]] bool wants_take_up(Time now, bool asked) const {
    if (nothing_left()) [[unlikely]]
      return submission_.pending() > 0 || submission_.recording_is_next();
    if (progress_.in_recording || now < look_again()) [[likely]]
      return false;
    const std::size_t pending = submission_.pending();
    if (pending == 0) return false;
    if (submission_.holds_back()) return workers_.some_idle() && (asked || ready_count() == 0);
    return workers_.some_idle() || pending >= epoch_->left();
  }
  /// There are new tasks, or some are gone, or their durations are not what the policy was told.
  [[nodiscard]] bool wants_epoch(Time now, bool asked) const {
    return stale_ || wants_take_up(now, asked) || (is_outdated() && !nothing_left() && now >= look_again());
  }
  void forget_types();
  void outdate();
  void make_epoch(std::vector<Node*> nodes);
  void set_epoch(std::shared_ptr<Epoch> epoch);
  void begin_epoch();
  void begin_recorded();
  void observe();
  [[nodiscard]] bool is_final() const;
  void record_contexts(Time now) {
    if (recorder_) recorder_->contexts().note(contexts_.now().all(), now);
  }
  void start_policy();
  [[nodiscard]] host::Present present() const;

  const Platform& platform_;
  const MemoryPlaces places_;
  const RunClock& clock_;
  Submission& submission_;
  Links& links_;

  ResizableContexts contexts_;
  WorkerSet workers_;
  PolicyMaker new_policy_;
  Progress& progress_;
  Deferred deferred_;
  Offers offers_{workers_, progress_};
  Overruns overruns_{workers_, progress_, deferred_};
  RecordedRuns runs_{progress_, deferred_};
  const std::function<void(const std::string&)> warn_;

  KnownTypes types_;
  std::shared_ptr<Epoch> epoch_;
  std::unique_ptr<host::Foresight> foresight_;  ///< null: the policy does not look ahead
  std::uint64_t epochs_ = 0;                    ///< so far
  bool stale_ = false;                          ///< the policy may decide what cannot be: one begins at once
  bool keeps_order_ = false;                    ///< the policy does
  bool starting_ = false;                       ///< it has not been told yet what is ready and what runs
  bool some_wait_ = false;                      ///< tasks wait on their workers for a datum they commute on
  Worker* acting_ = nullptr;                    ///< whose thread has the lock
  std::uint64_t resizings_ = 0;                 ///< PolicyMaker::resizings(), as far as contexts have the workers
  std::size_t lost_contexts_ = 0;  ///< contexts whose policies have thrown, as far as their tasks have been dropped
  bool some_batched_ = false;      ///< workers may have more than one task, or not have told what has ended

  std::vector<Execution*> starved_;   ///< executions that wait for room for their data
  std::vector<TaskId> told_;          ///< only to save allocations
  std::vector<std::uint32_t> freed_;  ///< the numbers of nodes whose tasks have ended

  Turns turns_;
  Copies copies_;
  DataStore data_{copies_};
  std::size_t zombies_ = 0;  ///< aborted executions whose kernels have not returned
  Validity validity_;

  Waiters waiters_;
  std::optional<Recorder> recorder_;
};

}  // namespace heddle::runtime
