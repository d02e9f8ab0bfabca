#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/policy/facts_check.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// A task that ended on a worker.
struct Completion {
  TaskId task;
  WorkerId worker;
};

/// A scheduling policy is an ordinary copyable class: a deterministic state machine that is told facts and asked for
/// actions. It owns no thread, clock or lock, and a copy made at any moment goes on independently.
///
/// Life cycle. The host makes the policy, calls start() once, then at every instant, in this order:
///   finished(view, completions)  the attempts that ended, in worker order;
///   ready(view, tasks)           the tasks this released, together, in task order;
///   next(view)                   again and again, until the answer is wait(); once more so where workers ask ahead
///                                (View::asks_ahead).
/// A run may begin in the middle of another one: start() then sees workers that run tasks of the graph (View::running),
/// started() tells of each of them, and ready() of what is ready; what has ended is not in the graph.
/// Each answer is carried out at once and comes back as a fact, before next() is called again:
///   started(view, task, worker)  an attempt began;
///   aborted(view, task, worker)  an attempt was aborted, by the policy's own action or by the host. A preempted
///                                task, or one whose worker left, is then reported ready again; a restarted one as
///                                started, by a host that holds back (host::Aborts) also on the same worker;
///   refused(view, action)        the answer could not be carried out: the policy owns the task again, if it was ready.
///   workers_changed(view)        workers left or came back (View::is_available).
/// The host serialises: calls never overlap. Everything the policy uses is an argument or its own member; it may keep
/// references into the instance, which outlives the run.
///
/// Where tasks arrive while others run, a host may divide a run into several, each of a new policy made as the one
/// before:
///   recall(before)               before start(): `before` is the policy of the run before, on the same workers, whose
///                                instance is still there. Tasks that run go on; the time is that of all runs together.
/// Required: ready() and next(). The other facts are told to those who have a member of that name; one that is
/// misspelt, or takes something else, does not compile. What a policy may say of itself:
///   static constexpr bool kKeepsOrder = true
///     It starts tasks in an order fixed before the run: tasks that commute on a datum are then reported ready
///     together, and what it runs waits on the worker for the others to end; for all other policies they become ready
///     one after the other. Where that depends on what start() chose, it has a member function `bool keeps_order()
///     const` instead, which is asked after start().
///   static constexpr bool kPolls = true
///     Its workers share queues, and it aborts nothing: where workers ask ahead, a host that simulates them asks for
///     them and for the idle ones at once, and the policy decides in which order they come (kit/queues/polling.hpp). Or
///     a member function `bool polls() const`, likewise.
///   std::string note() const
///     Something worth telling: one sentence for people.
///   std::vector<WorkerMove> moves() const
///     Workers that it has moved between the contexts of the instance so far, in the order of time. A host that divides
///     a run into several gives the contexts of the next one these workers.
///   bool follows_best() const
///     From its last answer on it decides as the policy that did best, the first of those that did, when it last asked
///     Lookahead::makespans(). A host in which nothing comes otherwise than was simulated then has no need to simulate
///     it again, and calls the policy no more.
template <class P>
concept PolicyType = std::copyable<P> && requires(P policy, const View& view, std::span<const TaskId> tasks) {
  policy.ready(view, tasks);
  { policy.next(view) } -> std::same_as<Action>;
};

/// Any policy, as a value: its copy is a deep copy.
class Policy {
 public:
  template <class P>
    requires(!std::same_as<std::remove_cvref_t<P>, Policy>)
  Policy(P policy) : self_(std::make_unique<Model<P>>(std::move(policy))) {  // NOLINT(google-explicit-constructor)
    static_assert(std::copyable<P>, "a policy must be copyable: look-ahead and replay clone it in the middle of a run");
    static_assert(PolicyType<P>,
                  "a policy needs ready(const View&, std::span<const TaskId>) and "
                  "Action next(const View&)");
    static_assert(detail::FactsOf<P>::kRight);
  }
  Policy(const Policy& other) : self_(other.self_->clone()) {}
  Policy(Policy&&) noexcept = default;
  Policy& operator=(const Policy& other) { return *this = Policy(other); }
  Policy& operator=(Policy&&) noexcept = default;
  ~Policy() = default;

  /// Whether it is of the same class, which recalls something.
  bool recall(const Policy& before) { return self_->recall(*before.self_); }
  void start(const View& view) { self_->start(view); }
  void ready(const View& view, std::span<const TaskId> tasks) { self_->ready(view, tasks); }
  void started(const View& view, TaskId task, WorkerId worker) { self_->started(view, task, worker); }
  void finished(const View& view, std::span<const Completion> completions) { self_->finished(view, completions); }
  void aborted(const View& view, TaskId task, WorkerId worker) { self_->aborted(view, task, worker); }
  void refused(const View& view, Action action) { self_->refused(view, action); }
  void workers_changed(const View& view) { self_->workers_changed(view); }
  [[nodiscard]] Action next(const View& view) { return self_->next(view).action(); }
  [[nodiscard]] bool keeps_order() const { return self_->keeps_order(); }
  [[nodiscard]] bool polls() const { return self_->polls(); }
  [[nodiscard]] bool follows_best() const { return self_->follows_best(); }
  /// Empty when the policy has nothing to tell.
  [[nodiscard]] std::string note() const { return self_->note(); }
  /// Of workers between contexts; mostly none.
  [[nodiscard]] std::vector<WorkerMove> moves() const { return self_->moves(); }

 private:
  /// An action in two words: one of three parts is put together in memory and read back as a whole before it is
  /// returned, for which the processor waits about as long as some policies decide.
  class Answer {
   public:
    explicit Answer(const Action& action)
        : what_(static_cast<std::uint64_t>(action.kind) << 32 | static_cast<std::uint32_t>(action.task)),
          worker_(action.worker) {}
    [[nodiscard]] Action action() const {
      return {static_cast<Action::Kind>(what_ >> 32), static_cast<TaskId>(what_ & 0xffff'ffff), worker_};
    }

   private:
    std::uint64_t what_;
    WorkerId worker_;
  };

  struct Interface {
    virtual ~Interface() = default;
    [[nodiscard]] virtual std::unique_ptr<Interface> clone() const = 0;
    virtual bool recall(const Interface&) = 0;
    virtual void start(const View&) = 0;
    virtual void ready(const View&, std::span<const TaskId>) = 0;
    virtual void started(const View&, TaskId, WorkerId) = 0;
    virtual void finished(const View&, std::span<const Completion>) = 0;
    virtual void aborted(const View&, TaskId, WorkerId) = 0;
    virtual void refused(const View&, Action) = 0;
    virtual void workers_changed(const View&) = 0;
    [[nodiscard]] virtual Answer next(const View&) = 0;
    [[nodiscard]] virtual bool keeps_order() const = 0;
    [[nodiscard]] virtual bool polls() const = 0;
    [[nodiscard]] virtual bool follows_best() const = 0;
    [[nodiscard]] virtual std::string note() const = 0;
    [[nodiscard]] virtual std::vector<WorkerMove> moves() const = 0;
  };

  template <class P>
  struct Model final : Interface {
    explicit Model(P p) : policy(std::move(p)) {}
    [[nodiscard]] std::unique_ptr<Interface> clone() const override { return std::make_unique<Model>(policy); }
    bool recall([[maybe_unused]] const Interface& before) override {
      if constexpr (requires(const P& other) { policy.recall(other); }) {
        const auto* const same = dynamic_cast<const Model*>(&before);
        if (same != nullptr) policy.recall(same->policy);
        return same != nullptr;
      } else {
        return false;
      }
    }
    void start(const View& view) override {
      if constexpr (requires { policy.start(view); }) policy.start(view);
    }
    void ready(const View& view, std::span<const TaskId> tasks) override { policy.ready(view, tasks); }
    void started([[maybe_unused]] const View& view, [[maybe_unused]] TaskId task,
                 [[maybe_unused]] WorkerId worker) override {
      if constexpr (requires { policy.started(view, task, worker); }) policy.started(view, task, worker);
    }
    void finished([[maybe_unused]] const View& view,
                  [[maybe_unused]] std::span<const Completion> completions) override {
      if constexpr (requires { policy.finished(view, completions); }) policy.finished(view, completions);
    }
    void aborted([[maybe_unused]] const View& view, [[maybe_unused]] TaskId task,
                 [[maybe_unused]] WorkerId worker) override {
      if constexpr (requires { policy.aborted(view, task, worker); }) policy.aborted(view, task, worker);
    }
    void refused([[maybe_unused]] const View& view, [[maybe_unused]] Action action) override {
      if constexpr (requires { policy.refused(view, action); }) policy.refused(view, action);
    }
    void workers_changed([[maybe_unused]] const View& view) override {
      if constexpr (requires { policy.workers_changed(view); }) policy.workers_changed(view);
    }
    [[nodiscard]] Answer next(const View& view) override { return Answer(policy.next(view)); }
    [[nodiscard]] bool keeps_order() const override {
      if constexpr (requires { policy.keeps_order(); }) {
        return policy.keeps_order();
      } else if constexpr (requires { P::kKeepsOrder; }) {
        return P::kKeepsOrder;
      } else {
        return false;
      }
    }
    [[nodiscard]] bool polls() const override {
      if constexpr (requires { policy.polls(); }) {
        return policy.polls();
      } else if constexpr (requires { P::kPolls; }) {
        return P::kPolls;
      } else {
        return false;
      }
    }
    [[nodiscard]] bool follows_best() const override {
      if constexpr (requires { policy.follows_best(); }) return policy.follows_best();
      return false;
    }
    [[nodiscard]] std::string note() const override {
      if constexpr (requires { policy.note(); }) return policy.note();
      return "";
    }
    [[nodiscard]] std::vector<WorkerMove> moves() const override {
      if constexpr (requires { policy.moves(); }) return policy.moves();
      return {};
    }

    P policy;
  };

  std::unique_ptr<Interface> self_;
};

}  // namespace heddle::policy
