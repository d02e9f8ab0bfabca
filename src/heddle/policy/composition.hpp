#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/projection.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/resizing/membership.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::policy {

/// What the policy of a context sees: the instance of its tasks and its workers, with numbers of their own. Types,
/// data, classes and memories keep theirs.
struct ContextPart {
  ContextPart(const Instance& instance, ContextId context);
  /// The same of some tasks and workers, both ascending.
  ContextPart(const Instance& instance, std::vector<TaskId> tasks, std::vector<WorkerId> workers);

  Projection tasks;
  std::vector<WorkerId> workers;   ///< by number here: the number in the whole
  Table<WorkerId, WorkerId> here;  ///< by number in the whole: the number here; kNone for workers of others
};

/// Several policies as one: each decides on the tasks and workers of one context of the instance (Instance::contexts).
///
/// Each sees a projection of the run and is told only of its own tasks. A task that waits for one of another context is
/// a task that is not ready yet. A worker that several contexts have is offered to them in their order; while it has a
/// task of another context it is there, but not idle, as a worker that is busy with something unknown.
///
/// The policies are asked in the order of the contexts, each until it waits, and again after each action of a later
/// one. Where data does not move, one that polls is asked only while a worker of its context is idle. What one looks
/// ahead to is the future of all, in which another policy decides for its context; it ends when the tasks of its
/// context have. In its start(), contexts that come later are foreseen as they will start, but for those that look
/// ahead themselves, in place of which a simple policy stands.
///
/// Where a rule resizes the contexts, those whose workers change get a new policy, as where a run is divided into
/// several (Policy::recall): it starts in the middle of the run, on the tasks that are left and on the workers that the
/// context has from then on, so that policies that plan or count workers do so for these. A worker that leaves ends
/// what it was given; to its former context these tasks are as those of others, to its new one it is busy. What
/// policies look ahead to is a future without further moves. Where a run is divided into several, the host gives the
/// contexts of the next one the workers that they have by then (Policy::moves).
///
/// The policy of a context without tasks is not even made. The composition keeps order if one of its policies does, and
/// polls if all do. With a single context of all tasks and workers it decides what that context's policy alone would.
class Composition {
 public:
  /// A policy that knows nothing yet, for a context.
  struct Made {
    Policy policy;
    std::optional<Policy> stand_in{};  ///< for one that looks ahead: what others foresee before it has started
  };
  using Make = std::function<Made(const Instance& whole, ContextId context, const ContextPart& part)>;

  explicit Composition(Make make, std::optional<ResizeRule> rule = {})
      : make_(std::move(make)), rule_(std::move(rule)) {}

  void recall(const Composition& before) {
    before_ = before.members_;
    membership_before_ = before.membership_;
  }
  void start(const View& view);
  void ready(const View& view, std::span<const TaskId> tasks);
  void started(const View& view, TaskId task, WorkerId worker);
  void finished(const View& view, std::span<const Completion> completions);
  void aborted(const View& view, TaskId task, WorkerId worker);
  void refused(const View& view, Action action);
  void workers_changed(const View& view);
  [[nodiscard]] Action next(const View& view);
  [[nodiscard]] bool keeps_order() const;
  [[nodiscard]] bool polls() const;
  [[nodiscard]] bool follows_best() const;
  [[nodiscard]] std::string note() const;
  [[nodiscard]] std::vector<WorkerMove> moves() const {
    return membership_ ? membership_->moves() : std::vector<WorkerMove>();
  }

 private:
  class Ahead;

  struct Member {
    std::string name;
    ContextId context;
    std::shared_ptr<const ContextPart> part;
    HostView view;
    Policy policy;
    std::optional<Policy> stand_in;
    bool started = false;
    std::size_t left;    ///< tasks that have not ended
    bool polls = false;  ///< once it has started

    /// The policy recalls the one before. What policies have learned of workers, they know by their numbers: of other
    /// workers they start without it.
    void recall(const Member& before) {
      if (before.part->workers == part->workers) policy.recall(before.policy);
    }
    void begun() {
      started = true;
      polls = policy.polls();
    }
    [[nodiscard]] bool some_idle(const View& whole) const {
      return std::ranges::any_of(part->workers, [&](WorkerId worker) { return whole.is_idle(worker); });
    }
    /// Shows the policy what has become of its part.
    void see(const View& whole);
    /// The same for its start: all workers are there, and none asks ahead.
    void see_at_start(const View& whole);
    [[nodiscard]] TaskId here(TaskId task) const { return part->tasks.here[task]; }
    [[nodiscard]] WorkerId here(WorkerId worker) const {
      return worker == kNone<WorkerId> ? worker : part->here[worker];
    }
    /// Whether it knows of the task on the worker.
    [[nodiscard]] bool has(TaskId task, WorkerId worker) const {
      return here(task) != kNone<TaskId> && here(worker) != kNone<WorkerId>;
    }
    [[nodiscard]] Action here(const Action& action) const {
      return {action.kind, here(action.task), here(action.worker)};
    }
    [[nodiscard]] Action whole(const Action& action) const;
  };

  /// The same, with another policy for one context.
  Composition(const Composition& other, std::size_t member, Policy policy);

  void make_members(const View& view);
  [[nodiscard]] Member make_member(const Instance& instance, ContextId context,
                                   std::shared_ptr<const ContextPart> part) const;
  void resize(const View& view);
  /// Workers move; the policies of their contexts are new ones, which have not started.
  void apply(const View& view, std::span<const Move> moves);
  void renew(const View& view, ContextId context);
  void note_lack(ContextId context);
  void begin_news(const View& view);
  void begin(std::size_t number, const View& view);
  [[nodiscard]] Time makespan_after(const View& view, std::span<const Move> moves) const;
  [[nodiscard]] Member& owner(const View& view, TaskId task) {
    return members_[numbers_[view.instance().contexts.of[task]]];
  }
  [[nodiscard]] bool is_alone() const { return members_.size() == 1 && !membership_; }
  /// Calls step(policy, view) for the policy of a context, which can look ahead through `view`, if that can.
  template <class Step>
  auto with_foresight(std::size_t member, const View& view, Step step);

  Make make_;
  std::vector<Member> members_;            ///< none before the start; then one for each context that has tasks
  Table<ContextId, std::size_t> numbers_;  ///< of its member
  std::vector<Member> before_;             ///< until then: of the run before
  std::optional<Membership> membership_before_{};
  std::optional<ResizeRule> rule_{};
  std::optional<Membership> membership_{};  ///< where workers may move, or may have had others' tasks at the start
  std::vector<ContextId> lack_tasks_{};     ///< contexts whose policies take some task for what it is not
  bool has_news_ = false;                   ///< some policies are yet to start
  // Only to save allocations:
  std::vector<TaskId> own_ready_{};
  std::vector<Completion> own_completions_{};
};

}  // namespace heddle::policy
