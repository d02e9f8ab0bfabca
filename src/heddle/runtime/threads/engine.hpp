#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/runtime/models/links.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/scheduling/scheduler.hpp"
#include "heddle/runtime/scheduling/worker.hpp"
#include "heddle/runtime/submission/submission.hpp"
#include "heddle/runtime/threads/cores.hpp"
#include "heddle/runtime/threads/mutex.hpp"
#include "heddle/runtime/threads/origin_process.hpp"
#include "heddle/runtime/threads/run_clock.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::runtime {

/// What makes a policy's answers happen: threads that run kernels, under one lock that guards all state. There is no
/// scheduling thread: a worker that ends a task tells the policy and carries out what it answers
/// (docs/runtime-design.md).
class Engine {
 public:
  using Watch = std::function<void(std::uint64_t unfinished)>;

  /// Throws InputError when the policy cannot decide on such workers.
  explicit Engine(const Config& config);
  /// Waits for all tasks. Data must be gone: it refers to the engine. Otherwise this says so and ends the program, as
  /// the destructor of a std::thread does that was not joined.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const Platform& platform() const { return platform_; }
  /// One more scheduling context. Throws InputError when it is the first and tasks were submitted or recorded, or it
  /// makes no sense.
  [[nodiscard]] SchedulingContext add_context(const ContextRequest& request);
  /// A context for each socket that workers have cores of. Throws InputError as add_context(), and when there are
  /// contexts.
  [[nodiscard]] std::vector<SchedulingContext> add_socket_contexts(const std::string& policy);
  [[nodiscard]] std::string context_name(ContextId context) const;
  /// Throw InputError when it makes no sense, or tasks of the context could not run any more.
  void add_workers(ContextId context, const std::string& workers);
  void remove_workers(ContextId context, const std::string& workers);
  void close_context(ContextId context, const SchedulingContext& heir);
  /// From now on tasks that this thread submits, and that name no context, belong to this one; returns the one before.
  /// None: to the one made for such tasks. Throws InputError when it is of another runtime.
  [[nodiscard]] SchedulingContext enter(const SchedulingContext& context);
  /// Whether the calling process has its threads: not a child after fork(), which can do nothing with it but leave it.
  [[nodiscard]] bool is_of_this_process() const { return process_.is_this(); }

  [[nodiscard]] Block* add_block(const Shape& shape, const Piece& home, std::shared_ptr<const Reduction> sum);
  /// Waits for the tasks that use the datum, and forgets it.
  void release(Block* block);
  void set_reduction(Block& block, std::shared_ptr<const Reduction> reduction);
  /// By the first device that can.
  [[nodiscard]] Pinned pin(std::span<std::byte> memory) const;

  /// Returns at once, unless as many tasks wait as may and this is not called inside one. Throws InputError when the
  /// data, or the tasks to come after, are of another runtime or recording, and as Submission::submit().
  Task submit(const std::shared_ptr<const KernelInfo>& kernel, std::span<const BlockAccess> accesses,
              std::span<const std::byte> values, TaskOptions& options);
  /// From now on tasks that this thread submits are recorded.
  void begin_recording();
  using Assign = std::function<void(const TaskGraph& tasks, Contexts& contexts)>;
  [[nodiscard]] Graph end_recording(const Assign& assign);
  void abandon_recording();
  /// Throws InputError when the graph was recorded by another runtime, and while this thread records.
  void run(const Graph& graph);
  [[nodiscard]] std::pair<Instance, std::vector<std::string>> describe(const Graph& graph);
  /// Returns when all tasks have ended; the watch, if any, is told meanwhile how many have not. Throws the first
  /// failure since the last time, or what the watch throws, which cancels what has not begun.
  void wait(const Watch& watch);
  void wait(const Ref& task);
  [[nodiscard]] std::uint64_t unfinished() const { return progress_.unfinished(); }
  [[nodiscard]] std::size_t records() const { return submission_.records(); }
  /// Cancels all tasks that have not begun.
  void cancel();
  /// Of the tasks that have ended. Throws InputError when nothing was recorded.
  [[nodiscard]] Trace trace() const;

 private:
  [[nodiscard]] bool is_recording() const;
  void check(const Graph& graph) const;
  [[nodiscard]] bool makes_parts() const;
  [[nodiscard]] std::vector<std::unique_ptr<Worker>> make_workers();
  void bind(TaskType& type);
  [[nodiscard]] Implementation inside_a_task(const Implementation& implementation);
  [[nodiscard]] bool can_run(const Implementation& implementation, Driver* driver);
  void start_threads(bool bind);
  void start_each_thread(bool bind);
  void stop_threads();
  void note_submission();
  /// Until fewer tasks wait than may.
  void await_room() {
    if (submission_.submitted() - ended_seen_.load(std::memory_order_relaxed) >= most_waiting_) await_ends();
  }
  void await_ends();
  void await_room_in_task();
  [[nodiscard]] std::size_t room_to_resume() const;
  void pass_on_pending(Time own = kMaxTime);
  void await_all(Lock& lock, const Watch& watch) HEDDLE_REQUIRES(mutex_);
  template <class Condition>
  void await(Lock& lock, const Watch& watch, Condition&& condition) HEDDLE_REQUIRES(mutex_);
  [[nodiscard]] std::vector<std::string> pci_addresses() const;
  [[nodiscard]] ContextId begin_context(const ContextRequest& request);
  template <class Change>
  void change_contexts(Change&& change);
  void check_process() const;
  void check_outside() const;
  void watch(const Ref& task) HEDDLE_REQUIRES(mutex_);
  void check_ours(const KernelInfo& kernel, std::span<const BlockAccess> accesses, std::span<const Task> after) const;
  [[nodiscard]] ContextId context_of(const TaskOptions& options) const;
  [[nodiscard]] Task task_of(const Ref& ref, std::uint64_t recording);
  void wake_for_pending();

  // What a worker's thread does.
  void serve(WorkerId id);
  void drive(WorkerId id);
  [[nodiscard]] std::optional<RunClock::Clock::time_point> look_around_at(const Worker& worker) const;
  [[nodiscard]] [[gnu::always_inline]] inline Execution* next_execution(Worker& worker);
  [[nodiscard]] Execution* await_execution(Worker& worker);
  [[nodiscard]] static Execution* next_in_batch(Worker& worker);
  void begin_now(Execution& execution) const;
  [[nodiscard]] Execution* received(Execution* execution, bool was_rung);
  [[nodiscard]] Execution* back_off(Worker& worker, Time duration);
  template <class Change>
  void update(Change&& change);
  template <class Change>
  void change_state(Change&& change) HEDDLE_REQUIRES(mutex_);
  void break_down(std::exception_ptr why) HEDDLE_REQUIRES(mutex_);
  void leave();
  [[nodiscard]] bool is_over() const HEDDLE_REQUIRES(mutex_) { return broken_ && threads_ == 0; }

  const int exceptions_ = std::uncaught_exceptions();  ///< that were on their way when it was made
  const OriginProcess process_;
  const std::uint64_t number_;  ///< of this one among all that the process has made: addresses come again
  /// The engine one of whose tasks this thread executes, or whose worker it is.
  static constinit inline thread_local const Engine* this_engine = nullptr;
  /// What this thread submits to, where that is of this engine.
  static constinit inline thread_local SchedulingContext this_context;
  /// The worker whose thread this is; kNone: of no worker.
  static constinit inline thread_local WorkerId this_worker = kNone<WorkerId>;

  Cores cores_;
  const std::vector<WorkerClass> classes_;
  const std::vector<DeviceChoice> chosen_;        ///< their backends outlive the devices
  std::vector<std::unique_ptr<Device>> devices_;  ///< until workers have them
  Links links_;
  const Platform platform_;
  Table<WorkerId, std::optional<std::size_t>> sockets_;  ///< of the cores that workers are bound to
  const RunClock clock_;
  const std::size_t most_waiting_;
  const std::function<void(const std::string&)> warn_;

  // Guarded by the lock of submission_:
  std::set<std::string> missing_;  ///< what was warned of
  Submission submission_;
  Progress progress_{submission_};
  std::atomic<std::uint64_t> ended_seen_{0};     ///< of the tasks that have ended, by those who submit
  std::atomic<std::uint64_t> submits_until_{0};  ///< so many tasks in all, tasks submit without waiting for room
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> blocks_{0};      ///< registered so far
  std::atomic<std::uint32_t> released_{0};    ///< of these
  std::atomic<std::uint64_t> recordings_{0};  ///< begun so far
  std::atomic<Time> first_submission_{kMaxTime};

  // Those who wait for the lock disturb neither those who submit nor the one who has it.
#ifdef HEDDLE_MEASURE_LOCKS
  alignas(64) mutable Mutex mutex_{scheduling_lock_times};
#else
  alignas(64) mutable Mutex mutex_;
#endif
  /// What the policy threw: nothing is decided any more.
  alignas(64) std::exception_ptr broken_ HEDDLE_GUARDED_BY(mutex_);
  std::size_t threads_ HEDDLE_GUARDED_BY(mutex_) = 0;  ///< of workers that have not left
  std::vector<std::unique_ptr<Worker>> workers_;       ///< who says what of it the lock guards
  Scheduler scheduler_ HEDDLE_GUARDED_BY(mutex_);
  /// What was asked for, as long as each may still say which workers those before it get; then nothing.
  std::vector<ContextRequest> requests_ HEDDLE_GUARDED_BY(mutex_);
  JobContexts contexts_ HEDDLE_GUARDED_BY(mutex_);
};

/// Under the lock: does what may tell the policy something.
template <class Change>
void Engine::change_state(Change&& change) {
  if (broken_) [[unlikely]]
    return;
  try {
    change();
  } catch (...) {
    break_down(std::current_exception());
  }
}

}  // namespace heddle::runtime
