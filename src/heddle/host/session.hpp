#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::host {

/// What makes things happen for a Session: it gives tasks to workers and takes them back.
template <class E>
concept Engine =
    requires(E& engine, const policy::Policy& policy, const policy::Action& action, TaskId task, WorkerId worker) {
      /// Whether the policy is to be asked (again): some worker wants a task.
      { engine.asks() } -> std::convertible_to<bool>;
      /// What the policy looks ahead with when it is asked now; null: it cannot.
      { engine.lookahead() } -> std::convertible_to<const policy::Lookahead*>;
      /// Whether the answer, which is legal, cannot be carried out now; then the policy is told (refused).
      { engine.refuses(action) } -> std::convertible_to<bool>;
      /// Where aborts are held back (Aborts): when the policy, which has just answered that the worker gets the task,
      /// would abort that attempt, if attempts that begin from now on could be aborted; nothing when it would complete.
      { engine.abort_of(policy, task, worker) } -> std::same_as<std::optional<Time>>;
      /// The worker gets the task, which is ready. Calls Session::started().
      engine.give(task, worker);
      /// The worker that has the task loses it. Calls Session::aborted().
      engine.take_back(task);
      /// What the ready task reads is fetched to the memory of the worker, if data moves.
      engine.prefetch(task, worker);
      /// While workers ask ahead: whether this one, which has tasks, has room for one more.
      { engine.has_room_ahead(worker) } -> std::convertible_to<bool>;
    };

/// The protocol between a policy and the host that runs its tasks (policy.hpp), from the side of the host: which tasks
/// are ready and which run, what the policy is told and asked, and which answers are legal. What happens to tasks, and
/// when, is up to an Engine. A value, as the policy is: a copy goes on independently.
class Session {
 public:
  /// The instance must outlive the session and its copies. Throws InputError when the platform has links that do not
  /// reach some memory.
  Session(const Instance& instance, policy::Policy policy, Aborts aborts = Aborts::allowed);

  [[nodiscard]] const Instance& instance() const { return *instance_; }
  /// What the policy sees. The engine keeps it up to date.
  [[nodiscard]] policy::HostView& view() { return view_; }
  [[nodiscard]] const policy::HostView& view() const { return view_; }
  [[nodiscard]] const policy::Policy& policy() const { return policy_; }
  /// From now on another policy decides, which knows what this one was told.
  void replace_policy(policy::Policy policy) { policy_ = std::move(policy); }
  [[nodiscard]] Aborts aborts() const { return aborts_; }
  /// A task that is held back: the policy believes that it runs.
  struct Held {
    TaskId task;
    WorkerId worker;
    Time abort;    ///< when the policy is expected to abort it
    Time decided;  ///< when the host found that
  };
  [[nodiscard]] std::span<const Held> held() const { return held_; }
  /// For a look at the future, in a copy: attempts that begin from now on can be aborted if any can, and nothing is
  /// held back. What was, is from now on the engine's to carry out.
  [[nodiscard]] std::vector<Held> stop_holding_back() {
    if (aborts_ == Aborts::hold_back) aborts_ = Aborts::allowed;
    return std::exchange(held_, {});
  }

  [[nodiscard]] Status status(TaskId task) const { return status_[task]; }
  /// How many tasks are ready.
  [[nodiscard]] std::size_t ready_count() const { return ready_; }
  /// How many are done.
  [[nodiscard]] std::size_t done_count() const { return done_; }
  [[nodiscard]] bool finished() const { return done_ == status_.size(); }

  /// Before start(), or instead of it when the policy was told of all this: how far the tasks have come.
  void resume(Table<TaskId, Status> status);

  // What happened, which the policy is told.
  /// Before start(): which policy was the one of the run before.
  void recall(const policy::Policy& before) { policy_.recall(before); }
  /// Once, before all other facts. Then started() for each task that runs, and ready() for those that are.
  void start(const policy::Lookahead* lookahead);
  /// The tasks, in their order, wait for nothing any more.
  void ready(std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) status_[task] = Status::ready;
    ready_ += tasks.size();
    policy_.ready(view_, tasks);
  }
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
  void aborted(TaskId task, WorkerId worker) {
    status_[task] = Status::ready;  // which counts when the policy is told
    policy_.aborted(view_, task, worker);
  }
  /// Instead of started(): the worker cannot get the task that the policy has just answered that it gets. It is ready.
  void refused(TaskId task, WorkerId worker);
  /// The worker, which has no task, leaves or comes back. What is held back for one that leaves is ready again.
  void set_available(WorkerId worker, bool available);
  void tell_workers_changed() { policy_.workers_changed(view_); }

  /// Asks the policy, and has the engine carry out what it answers, until it waits or the engine asks no more. Throws
  /// InternalError when an answer is illegal, or the policy does not stop.
  template <Engine E>
  [[gnu::always_inline]] void ask(E& engine) {
    ask_until_wait(engine);
    if (!held_.empty()) [[unlikely]]
      ask_of_held(engine);
    if (!hidden_.empty()) [[unlikely]]
      show_hidden();
  }

  /// The same where data moves, once the policy has waited: workers that are busy ask for tasks ahead. `with_idle`: for
  /// a policy that polls (Policy::polls), which is asked once: workers that have nothing ask along.
  template <Engine E>
  void ask_ahead(E& engine, bool with_idle = false) {
    view_.set_asks_ahead(true);
    for (const WorkerId worker : instance_->platform.workers()) {
      view_.mark_idle(worker, is_free(worker) ? with_idle : engine.has_room_ahead(worker));
    }
    ask_until_wait(engine);
    end_asking_ahead();
  }
  /// The same for one worker, which is busy: the others are as idle as they were.
  template <Engine E>
  void ask_ahead_for(WorkerId worker, E& engine) {
    view_.set_asks_ahead(true);
    view_.mark_idle(worker, true);
    ask_until_wait(engine);
    view_.set_asks_ahead(false);
    view_.mark_idle(worker, false);
  }
  /// Also in a copy that was made while they asked.
  void end_asking_ahead() {
    view_.set_asks_ahead(false);
    for (const WorkerId worker : instance_->platform.workers()) view_.mark_idle(worker, is_free(worker));
  }

  /// For an engine in which nothing else would happen: starts the task that was held back first. False: none was.
  template <Engine E>
  bool start_held(E& engine) {
    if (held_.empty()) return false;
    const Held first = held_.front();
    take_back(first.task, engine);
    start_for_good(first.task, first.worker, engine);
    return true;
  }

  /// For an engine that has nothing to do while tasks are left. Throws InternalError.
  [[noreturn]] void report_stuck() const;

 private:
  /// Why the answer is illegal; null when it is not.
  [[nodiscard]] const char* objection(const policy::Action& action) const {
    if (index(action.task) >= status_.size()) return "there is no such task";
    const Status status = status_[action.task];
    return policy::objection_to(action, view_, status == Status::ready, status == Status::running);
  }

  /// Whether the worker has nothing to do.
  [[nodiscard]] bool is_free(WorkerId worker) const {
    return view_.running(worker) == kNone<TaskId> && view_.is_available(worker);
  }

  // What every task goes through is inlined into ask(); left alone, GCC makes several functions of it.
  template <Engine E>
  [[gnu::always_inline]] void ask_until_wait(E& engine) {
    std::size_t actions = 0;
    while (engine.asks()) {
      view_.set_lookahead(engine.lookahead());
      const policy::Action action = policy_.next(view_);
      view_.set_lookahead(nullptr);
      if (action.kind == policy::Action::Kind::wait) return;
      ++actions;
      const char* const objection = policy::is_endless(actions, view_) ? policy::kEndless : this->objection(action);
      if (objection != nullptr) [[unlikely]]
        report_illegal(action.kind, action.task, action.worker, objection);
      if (!carry_out(action, engine)) return;
    }
  }

  template <Engine E>
  [[gnu::noinline]] void ask_of_held(E& engine) {
    while (!held_.empty() && decide_anew(engine)) ask_until_wait(engine);
  }

  /// False: the policy is not to be asked again before something happens.
  template <Engine E>
  [[gnu::always_inline]] bool carry_out(const policy::Action& action, E& engine) {
    using Kind = policy::Action::Kind;
    const bool aborts = action.kind == Kind::restart || action.kind == Kind::preempt;
    if (aborts && !view_.may_abort(action.task)) {
      tell_refused(action.kind, action.task, action.worker);
      if (action.kind == Kind::preempt) return false;
      // The policy would answer the same again, so it does not see the worker.
      view_.mark_idle(action.worker, false);
      hidden_.push_back(action.worker);
      return true;
    }
    if (engine.refuses(action)) [[unlikely]] {
      tell_refused(action.kind, action.task, action.worker);
      return true;
    }
    switch (action.kind) {
      case Kind::run:
        --ready_;
        place(action.task, action.worker, engine);
        break;
      case Kind::restart:
        take_back(action.task, engine);
        place(action.task, action.worker, engine);
        break;
      case Kind::preempt: {
        const TaskId task = action.task;  // by itself, as in tell_refused()
        take_back(task, engine);
        ready(std::span(&task, 1));
        break;
      }
      case Kind::prefetch:
        engine.prefetch(action.task, action.worker);
        break;
      case Kind::wait:
        break;
    }
    return true;
  }

  template <Engine E>
  [[gnu::always_inline]] void place(TaskId task, WorkerId worker, E& engine) {
    if (aborts_ != Aborts::hold_back) [[likely]]
      return engine.give(task, worker);
    if (may_be_aborted(task, worker)) {
      if (const std::optional<Time> abort = engine.abort_of(policy_, task, worker)) {
        return hold_back({task, worker, *abort, view_.now()});
      }
    }
    start_for_good(task, worker, engine);
  }
  template <Engine E>
  void start_for_good(TaskId task, WorkerId worker, E& engine) {
    view_.set_committed(task, true);
    engine.give(task, worker);
  }
  template <Engine E>
  void take_back(TaskId task, E& engine) {
    if (held_.empty() || !release(task)) engine.take_back(task);
  }

  /// Whether some task was held back too long: the policy has not aborted it when it was expected to. Such tasks are
  /// taken back, and given again to the same workers, which maybe holds them back again.
  template <Engine E>
  bool decide_anew(E& engine) {
    bool some = false;
    for (const Held& one : std::vector(held_)) {
      if (one.abort > view_.now() || one.decided == view_.now()) continue;
      take_back(one.task, engine);
      place(one.task, one.worker, engine);
      some = true;
    }
    return some;
  }

  void show_hidden();
  [[nodiscard]] bool may_be_aborted(TaskId task, WorkerId worker) const;
  void hold_back(const Held& held);
  bool release(TaskId task);
  // An answer in parts: one that is passed as a whole is put together in memory for every task, which waits for it.
  void tell_refused(policy::Action::Kind kind, TaskId task, WorkerId worker);
  [[noreturn]] void report_illegal(policy::Action::Kind kind, TaskId task, WorkerId worker, const char* reason) const;

  const Instance* instance_;
  policy::Policy policy_;
  policy::HostView view_;
  Aborts aborts_;
  Table<TaskId, Status> status_;
  std::size_t ready_ = 0;
  std::size_t done_ = 0;
  std::vector<Held> held_;        ///< in the order in which they were given
  std::vector<WorkerId> hidden_;  ///< while the policy is asked: idle workers for which it asked what was refused
};

}  // namespace heddle::host
