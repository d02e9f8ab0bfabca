#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::host {

/// How far a task has come.
enum class Status : std::uint8_t {
  waiting,  ///< for predecessors, or for a datum that it commutes on
  ready,    ///< and the policy was told so
  running,  ///< given to a worker, where it may wait for its data
  done,
};

/// What makes things happen for a Session: it gives tasks to workers and takes them back.
template <class E>
concept Engine = requires(E& engine, const policy::Action& action, TaskId task, WorkerId worker) {
  /// Whether the policy is to be asked (again): some worker wants a task.
  { engine.asks() } -> std::convertible_to<bool>;
  /// What the policy looks ahead with when it is asked now; null: it cannot.
  { engine.lookahead() } -> std::convertible_to<const policy::Lookahead*>;
  /// Whether the answer, which is legal, cannot be carried out now; then the policy is told (refused).
  { engine.refuses(action) } -> std::convertible_to<bool>;
  /// The worker gets the task, which is ready. Calls Session::started().
  engine.give(task, worker);
  /// The worker that has the task loses it. Calls Session::aborted().
  engine.take_back(task);
  /// What the ready task reads is fetched to the memory of the worker, if data moves.
  engine.prefetch(task, worker);
  /// While workers ask ahead: whether this one, which has tasks, has room for one more.
  { engine.has_room_ahead(worker) } -> std::convertible_to<bool>;
  /// Whether the worker has nothing to do.
  { engine.is_free(worker) } -> std::convertible_to<bool>;
};

/// The protocol between a policy and the host that runs its tasks (policy.hpp), from the side of the host: which tasks
/// are ready and which run, what the policy is told and asked, and which answers are legal. What happens to tasks, and
/// when, is up to an Engine. A value, as the policy is: a copy goes on independently.
class Session {
 public:
  /// The instance must outlive the session and its copies. Throws InputError when the platform has links that do not
  /// reach some memory.
  Session(const Instance& instance, policy::Policy policy);

  [[nodiscard]] const Instance& instance() const { return *instance_; }
  /// What the policy sees. The engine keeps it up to date.
  [[nodiscard]] policy::HostView& view() { return view_; }
  [[nodiscard]] const policy::HostView& view() const { return view_; }
  [[nodiscard]] const policy::Policy& policy() const { return policy_; }
  /// From now on another policy decides, which knows what this one was told.
  void replace_policy(policy::Policy policy) { policy_ = std::move(policy); }

  [[nodiscard]] Status status(TaskId task) const { return status_[task]; }
  /// How many tasks are ready.
  [[nodiscard]] std::size_t ready_count() const { return ready_; }
  /// How many are done.
  [[nodiscard]] std::size_t done_count() const { return done_; }
  [[nodiscard]] bool finished() const { return done_ == status_.size(); }

  /// Before start(), or instead of it when the policy was told of all this: how far the tasks have come.
  void resume(Table<TaskId, Status> status);

  // What happened, which the policy is told.
  /// Once, before all other facts. Then started() for each task that runs, and ready() for those that are.
  void start(const policy::Lookahead* lookahead);
  /// The tasks, in their order, wait for nothing any more.
  void ready(std::span<const TaskId> tasks);
  /// The worker has got the task, as the view shows.
  void started(TaskId task, WorkerId worker) {
    status_[task] = Status::running;
    policy_.started(view_, task, worker);
  }
  /// The tasks have ended on their workers, as the view shows.
  void finished(std::span<const policy::Completion> completions) {
    for (const policy::Completion& one : completions) status_[one.task] = Status::done;
    done_ += completions.size();
    policy_.finished(view_, completions);
  }
  /// The worker has lost the task, as the view shows. What becomes of it, the next fact tells: ready() or started().
  void aborted(TaskId task, WorkerId worker) { policy_.aborted(view_, task, worker); }
  /// The worker, which has no task, leaves or comes back.
  void set_available(WorkerId worker, bool available) {
    view_.set_available(worker, available);
    tell_workers_changed();
  }
  void tell_workers_changed() { policy_.workers_changed(view_); }

  /// Asks the policy, and has the engine carry out what it answers, until it waits or the engine asks no more. Throws
  /// InternalError when an answer is illegal, or the policy does not stop.
  template <Engine E>
  void ask(E& engine) {
    std::size_t actions = 0;
    while (engine.asks()) {
      view_.set_lookahead(engine.lookahead());
      const policy::Action action = policy_.next(view_);
      view_.set_lookahead(nullptr);
      if (action.kind == policy::Action::Kind::wait) return;
      const char* const objection = ++actions <= most_actions() ? this->objection(action) : kEndless;
      if (objection != nullptr) [[unlikely]]
        report_illegal(action, objection);
      carry_out(action, engine);
    }
  }

  /// The same where data moves, once the policy has waited: workers that are busy ask for tasks ahead. `with_idle`: for
  /// a policy that polls (Policy::polls), which is asked once: workers that have nothing ask along.
  template <Engine E>
  void ask_ahead(E& engine, bool with_idle = false) {
    view_.set_asks_ahead(true);
    for (const WorkerId worker : instance_->platform.workers()) {
      view_.mark_idle(worker, engine.is_free(worker) ? with_idle : engine.has_room_ahead(worker));
    }
    ask(engine);
    end_asking_ahead(engine);
  }
  /// Also in a copy that was made while they asked.
  template <Engine E>
  void end_asking_ahead(const E& engine) {
    view_.set_asks_ahead(false);
    for (const WorkerId worker : instance_->platform.workers()) view_.mark_idle(worker, engine.is_free(worker));
  }

  /// For an engine that has nothing to do while tasks are left. Throws InternalError.
  [[noreturn]] void report_stuck() const;

 private:
  static constexpr const char* kEndless = "it does not stop acting within one instant";

  /// In an instant: a sound policy aborts each worker, and has the data of each task fetched, a few times at most.
  [[nodiscard]] std::size_t most_actions() const {
    return 4096 + 64 * instance_->platform.worker_count() + 2 * status_.size();
  }

  /// Why the answer is illegal; null when it is not.
  [[nodiscard]] const char* objection(const policy::Action& action) const {
    using Kind = policy::Action::Kind;
    if (index(action.task) >= status_.size()) return "there is no such task";
    const bool aborts = action.kind == Kind::restart || action.kind == Kind::preempt;
    if (aborts && status_[action.task] != Status::running) return "the task is not running";
    if (!aborts && status_[action.task] != Status::ready) return "the task is not ready";
    if (action.kind == Kind::preempt) return nullptr;
    if (index(action.worker) >= instance_->platform.worker_count()) return "there is no such worker";
    if (action.kind == Kind::prefetch) return nullptr;
    if (!view_.is_idle(action.worker)) return "the worker is not idle";
    if (!view_.can_run(action.task, instance_->platform.class_of(action.worker)))
      return "the worker's class cannot run the task";
    return aborts && view_.asks_ahead() ? "workers that ask ahead are busy" : nullptr;
  }

  template <Engine E>
  void carry_out(const policy::Action& action, E& engine) {
    using Kind = policy::Action::Kind;
    if (engine.refuses(action)) {
      policy_.refused(view_, action);
      return;
    }
    switch (action.kind) {
      case Kind::run:
        --ready_;
        engine.give(action.task, action.worker);
        return;
      case Kind::restart:
        engine.take_back(action.task);
        engine.give(action.task, action.worker);
        return;
      case Kind::preempt:
        engine.take_back(action.task);
        ready(std::span(&action.task, 1));
        return;
      case Kind::prefetch:
        engine.prefetch(action.task, action.worker);
        return;
      case Kind::wait:
        return;
    }
  }

  [[noreturn]] void report_illegal(const policy::Action& action, const char* reason) const;

  const Instance* instance_;
  policy::Policy policy_;
  policy::HostView view_;
  Table<TaskId, Status> status_;
  std::size_t ready_ = 0;
  std::size_t done_ = 0;
};

}  // namespace heddle::host
