#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "heddle/runtime/attempt.hpp"
#include "heddle/runtime/cores.hpp"
#include "heddle/runtime/data_store.hpp"
#include "heddle/runtime/epoch.hpp"
#include "heddle/runtime/lookahead.hpp"
#include "heddle/runtime/mailbox.hpp"
#include "heddle/runtime/mutex.hpp"
#include "heddle/runtime/performance_model.hpp"
#include "heddle/runtime/recorder.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/submission.hpp"
#include "heddle/runtime/workers.hpp"

namespace heddle::runtime {

/// What makes a policy's answers happen: threads that run kernels, under one lock that guards all state. There is no
/// scheduling thread: a worker that ends a task tells the policy and carries out what it answers (docs/runtime.md).
class Engine {
 public:
  /// Throws InputError when the policy cannot decide on such workers.
  explicit Engine(const Config& config);
  /// Waits for all tasks.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const Platform& platform() const { return platform_; }

  [[nodiscard]] Block* add_block(const Shape& shape, const Piece& home);
  /// Waits for the tasks that use the datum, and forgets it.
  void release(Block* block);

  /// Returns at once, unless as many tasks wait as may and this is not called inside one.
  Task submit(const std::shared_ptr<const KernelInfo>& kernel, std::span<const BlockAccess> accesses,
              std::span<const std::byte> values, TaskOptions& options);
  /// From now on tasks that this thread submits are recorded.
  void begin_recording();
  [[nodiscard]] Graph end_recording();
  void run(const Graph& graph);
  /// Returns when all tasks have ended. Throws the first failure since the last time.
  void wait();
  [[nodiscard]] bool has_ended(const Ref& task) const;
  void wait(const Ref& task);
  /// Cancels all tasks that have not begun.
  void cancel();
  /// Of the tasks that have ended. Throws InputError when nothing was recorded.
  [[nodiscard]] Trace trace() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Worker {
    Mailbox<Attempt> mailbox;
    Attempt attempt;
    Attempt* next = nullptr;  ///< the attempt that its own thread has given it
    bool busy = false;        ///< has an attempt, which may be aborted
    std::unique_ptr<Team> team;
    std::thread thread;
  };

  [[nodiscard]] Time now() const;

  [[nodiscard]] std::uint64_t unfinished() const { return submission_.submitted() - ended_count_.load(); }
  void note_submission();
  void await_room();
  void await_all();
  void check_outside() const;
  [[nodiscard]] Task task_of(const Ref& ref);

  void start_threads(bool bind);

  // What a worker's thread does.
  void serve(WorkerId id);
  void wake_for_pending();

  // Under the lock.
  template <class Change>
  void update(Worker& worker, Change&& change);
  [[nodiscard]] Attempt* next_attempt(Worker& worker);
  [[nodiscard]] std::function<void()> end(Worker& worker, WorkerId id, Time ended, const std::exception_ptr& failure);
  void leave(Node& node, const std::exception_ptr& failure);
  void release_successors(Node& node);
  void settle();
  [[nodiscard]] std::exception_ptr doom(const Node& node) const;
  [[nodiscard]] bool may_be_doomed(const Node& node) const { return voids_ || cancelling_ || node.extras != nullptr; }
  [[nodiscard]] static bool acquire(Node& node);
  void act(Time time);
  void decide(Time time);
  void ask_policy();
  void start_policy();
  [[nodiscard]] policy::Action next_action();
  [[nodiscard]] sim::Present present(bool started) const;
  void carry_out(const policy::Action& action);
  void give(Node& node, WorkerId id);
  void start(Node& node);
  void abort(Node& node);
  [[nodiscard]] bool wants_take_up(Time now) const;
  [[nodiscard]] policy::Policy new_policy();
  void begin_epoch();
  void begin_recorded();
  [[nodiscard]] bool nothing_left() const { return epoch_ == nullptr || epoch_->left() == 0; }
  void link(Node& node);

  const Cores cores_;
  const std::vector<WorkerClass> classes_;
  const Platform platform_;
  const std::vector<Processor> processor_;  ///< by class
  const policy::Spec spec_;
  const std::optional<policy::Policy> decider_;
  const bool looks_ahead_;  ///< the policy may
  const bool aborts_;       ///< the policy may abort tasks
  const std::uint64_t seed_;
  const std::size_t most_waiting_;
  const std::size_t resume_;  ///< when so few tasks are left, those who waited to submit go on
  const Clock::time_point start_ = Clock::now();

  Submission submission_;
  std::atomic<std::uint64_t> ended_seen_{0};  ///< of ended_count_, by those who submit
  std::atomic<bool> stopping_{false};
  std::atomic<bool> some_left_{false};    ///< tasks that were taken up have not ended
  std::atomic<std::uint32_t> blocks_{0};  ///< registered so far
  std::atomic<Time> first_submission_{kMaxTime};
  std::atomic<Time> look_again_{0};  ///< when tasks that are pending may be taken up because workers are idle

  alignas(64) std::atomic<std::uint64_t> ended_count_{0};  ///< of tasks; written under the lock

  mutable Mutex mutex_;  ///< guards what follows
  std::condition_variable_any ended_;
  std::size_t submitters_ = 0;  ///< threads that wait for room
  Worker* acting_ = nullptr;    ///< whose thread has the lock
  Node* freed_ = nullptr;       ///< nodes whose tasks have ended, chained
  bool voids_ = false;          ///< some datum may have no valid value
  std::vector<TaskType*> types_;
  PerformanceModel durations_;
  std::shared_ptr<Epoch> epoch_;
  bool in_recording_ = false;  ///< what is left was recorded: nothing else is taken up
  std::uint64_t epochs_ = 0;
  bool stale_ = false;  ///< the epoch knows tasks that were cancelled
  bool cancelling_ = false;
  DataStore data_;
  std::size_t stragglers_ = 0;           ///< workers whose attempts were aborted and have not returned
  std::vector<std::stop_source> stops_;  ///< to be asked to stop once the lock is free
  std::vector<Node*> released_;          ///< tasks that have become ready and of which the policy has not been told
  std::vector<Node*> contending_;        ///< ready tasks that wait for a datum they commute on
  bool keeps_order_ = false;             ///< the policy does
  std::vector<Node*> given_;             ///< tasks that wait on their workers for a datum they commute on
  std::vector<TaskId> told_;             ///< only to save allocations
  std::exception_ptr failure_;           ///< the first since the last wait
  std::unordered_map<std::uint64_t, std::exception_ptr> failed_;  ///< by sequence
  std::optional<Recorder> recorder_;
  std::size_t idle_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace heddle::runtime
