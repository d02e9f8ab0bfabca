#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/host/session.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::policy {
struct ResizeRule;  // heddle/policy/resizing
}

namespace heddle::host {

class Resizing;

/// A task among all that were submitted, in their order.
enum class TaskNumber : std::uint64_t {};

/// Hosts a policy in an engine that has a queue of its own between submission and workers (push and pop): tasks become
/// known while others run, the engine says which are ready, workers ask for their next task, and no task is taken back
/// from a worker. Policies that would take tasks back have their answers refused, or held back (Aborts).
///
/// A policy decides on an instance that does not change. So it decides in rounds: each is a run of a new policy on the
/// tasks that are known and not done, which recalls the one before, and is told what workers have and what is ready. A
/// round begins when the last one has no tasks left, and when a worker stays idle although tasks are ready that the
/// last one does not know. It costs as much as it has tasks; where it would have many again and again, it has only
/// those that are ready.
///
/// No round begins where there is nothing to decide: workers are alike, and there are enough for what is ready.
///
/// With scheduling contexts, the policy is that of an instance with contexts (policy `contexts`), in which all tasks of
/// a type are of the context of the type. A rule may move workers between them (Resizing): then a round begins.
///
/// An engine may not show all dependencies. A task that is not ready although all predecessors that are known have
/// ended waits for something else: it is left out of the round, and so are all that follow it. But a worker that has
/// ended a task pushes what that released one after the other, and asks for its next task only then: until it does,
/// these are expected. If the policy still waits for ever while tasks are ready, a round begins on those alone.
///
/// What moves data is not known here. An engine with links says where copies are; otherwise the view shows all data at
/// home.
class Rounds {
 public:
  /// What a memory has of a datum now. Asked for data of tasks that no worker has and that have not ended.
  using CopySource = std::function<policy::HostView::Copy(DataId, MemoryId)>;
  /// Makes a policy that knows nothing yet. The instance outlives it.
  using MakePolicy = std::function<policy::Policy(const Instance&)>;

  struct Task {
    TypeId type{};
    std::vector<TaskNumber> after{};  ///< the predecessors that are known, each once
    std::vector<Access> accesses{};   ///< each datum once
    std::int64_t priority = 0;
    std::string name{};       ///< where a plan is followed: no other task has it
    bool is_foreign = false;  ///< the engine itself gives it to a worker: it is not pushed
  };

  struct Config {
    Platform platform;
    DurationSource durations;  ///< is asked when a round begins
    MakePolicy make_policy;
    Aborts aborts = Aborts::none;    ///< never `allowed`
    MakeForesight make_foresight{};  ///< what policies look ahead with; without it, nothing is held back
    CopySource copies{};             ///< is asked only on a platform with links, and must be there then
    Table<ContextId, Context> contexts{};
    /// By which workers move between the contexts, if there are any; null: they stay.
    std::shared_ptr<const policy::ResizeRule> resize{};
    /// Tasks have names, by which a plan knows them, and the policy is asked even where there is nothing to decide.
    bool follows_plan = false;
  };

  explicit Rounds(Config config);
  Rounds(Rounds&&) noexcept;
  Rounds& operator=(Rounds&&) = delete;
  ~Rounds();

  /// `context`: that of its tasks; kNone only where there are no contexts.
  TypeId add_type(std::string name, ContextId context = kNone<ContextId>);
  DataId add_datum(Datum datum);
  /// A task is known from now on, by the next number.
  TaskNumber submit(const Task& task);
  [[nodiscard]] TaskNumber next_number() const { return static_cast<TaskNumber>(known_.end_position()); }
  /// The task waits for nothing any more.
  void push(TaskNumber task);
  /// The worker asks for a task: lets the policy decide. Nothing: it waits. Where data moves, a worker with a memory of
  /// its own may have one task and ask for the next, so that its data comes meanwhile; otherwise a worker that asks has
  /// none. Throws InternalError when the policy asks for what cannot be done.
  [[nodiscard]] std::optional<TaskNumber> pop(WorkerId worker, Time now);
  /// The worker has ended the task that it popped first.
  void finished(WorkerId worker, Time now);
  /// The task, which is foreign, has ended.
  void finished(TaskNumber task);
  /// The task that the worker popped just now is foreign from now on.
  void disown(WorkerId worker);
  /// The worker leaves or comes back. What it was given and has not popped is ready again; what it popped it still
  /// ends.
  void set_available(WorkerId worker, bool available);
  /// The worker runs something that is not known here, or has ended it: meanwhile it is not idle.
  void set_occupied(WorkerId worker, bool occupied);
  /// Workers that have got a task, by decisions made while another one asked, since the last call: they shall ask.
  [[nodiscard]] std::vector<WorkerId> take_called() { return std::exchange(called_, {}); }

  /// What a task that no worker has reads shall be fetched to the memory of the worker: a hint.
  struct Prefetch {
    TaskNumber task;
    WorkerId worker;
  };
  /// Those since the last call, in which no worker may have got a task.
  [[nodiscard]] std::vector<Prefetch> take_prefetches() { return std::exchange(prefetches_, {}); }

  /// Whether a task has ended; maybe it is forgotten.
  [[nodiscard]] bool is_done(TaskNumber task) const {
    return static_cast<std::size_t>(task) < known_.begin_position() || known(task).status == Status::done;
  }
  // Of tasks that have not ended.
  [[nodiscard]] TypeId type(TaskNumber task) const { return known(task).type; }
  [[nodiscard]] std::int64_t priority(TaskNumber task) const { return known(task).priority; }
  [[nodiscard]] bool is_foreign(TaskNumber task) const { return known(task).is_foreign; }
  /// Whether `task` waits for `before`, as far as is known.
  [[nodiscard]] bool waits_for(TaskNumber task, TaskNumber before) const;
  /// How many tasks were submitted and have not ended.
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }
  /// Which workers moved between the contexts so far, and when: the time is that of the last of what they were given
  /// before. In the order of time.
  [[nodiscard]] std::vector<WorkerMove> moves() const;
  /// How many rounds have begun.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  class Acts;

  /// An edge in the list of those that leave a task.
  struct Link {
    TaskNumber to{};
    std::uint32_t next = kNoLink;
  };
  static constexpr std::uint32_t kNoLink = ~std::uint32_t{0};
  struct Submitted {
    TypeId type{};
    Status status = Status::waiting;  ///< `ready`: was pushed
    bool is_foreign = false;
    TaskId here = kNone<TaskId>;    ///< in the round; kNone: it does not know the task
    std::uint32_t links = kNoLink;  ///< to those that are known to wait for it
    std::uint32_t unmet = 0;        ///< how many it waits for
    std::uint32_t reached = 0;      ///< while a round is chosen: how many of those are in it
    std::uint32_t access_count = 0;
    std::size_t access_begin = 0;
    std::size_t active = 0;  ///< its place among the active ones, if it is
    std::int64_t priority = 0;
  };
  /// What a type or a datum is in the instance of a round.
  template <class Id>
  struct Here {
    std::size_t round = 0;
    Id id{};
  };
  struct Round {
    Round(Instance of, std::vector<TaskNumber> its_tasks, const MakePolicy& make_policy, Aborts aborts)
        : instance(std::move(of)), tasks(std::move(its_tasks)), session(instance, make_policy(instance), aborts) {}

    Instance instance;
    std::vector<TaskNumber> tasks;  ///< by number here
    Session session;
    std::unique_ptr<Foresight> foresight{};  ///< null: policies cannot look ahead
    bool started = false;                    ///< the policy was told what is ready and what runs
  };
  /// What a worker has.
  struct Slot {
    std::vector<TaskNumber> tasks;     ///< which the policy gave to it, in this order
    std::size_t popped = 0;            ///< how many of them it has popped
    std::vector<TaskNumber> released;  ///< what waited for the last task that it ended, until it asks again
    Time since = 0;                    ///< since when the first was popped and is the first
    Time fetch = 0;                    ///< how long it is believed to fetch data then
  };

  /// A datum that a task reads is on its way to a memory, as the view shows.
  struct Coming {
    TaskNumber task;
    MemoryId memory;
    DataId there;  ///< among all data
    DataId here;   ///< in the round
    Time arrives;  ///< is believed to
  };

  [[nodiscard]] Submitted& known(TaskNumber task) { return known_[static_cast<std::size_t>(task)]; }
  [[nodiscard]] const Submitted& known(TaskNumber task) const { return known_[static_cast<std::size_t>(task)]; }
  template <class Visit>
  void visit_successors(const Submitted& of, Visit&& visit) const {
    for (std::uint32_t link = of.links; link != kNoLink; link = links_[link].next) visit(links_[link].to);
  }
  /// Calls visit(task) for the tasks of the round that wait for one of it.
  template <class Visit>
  void visit_waiting(const Submitted& of, Visit&& visit) const {
    visit_successors(of, [&](TaskNumber next) {
      const Submitted& one = known(next);
      if (one.status == Status::waiting && one.here != kNone<TaskId>) visit(one.here);
    });
  }
  /// Calls visit(datum among all, datum in the round, mode) for what a task of the round accesses.
  template <class Visit>
  void visit_accesses(TaskNumber task, Visit&& visit) const {
    const Submitted& one = known(task);
    const std::span<const Access> here = round_->instance.graph.accesses(one.here);
    const std::span<const Access> there = accesses_.slice(one.access_begin, one.access_begin + one.access_count);
    for (std::size_t i = 0; i < here.size(); ++i) visit(there[i].data, here[i].data, here[i].mode);
  }
  void link(Submitted& from, TaskNumber to);
  void activate(TaskNumber task);
  void deactivate(TaskNumber task);
  void done(TaskNumber task, std::vector<TaskNumber>& released);
  void give(TaskNumber task, WorkerId worker);
  [[nodiscard]] bool is_free(WorkerId worker) const {
    return slots_[worker].tasks.empty() && !away_[worker] && !occupied_[worker];
  }
  /// Whether the worker has a task of the round; then all that it has are.
  [[nodiscard]] bool has_known(WorkerId worker) const {
    const std::vector<TaskNumber>& tasks = slots_[worker].tasks;
    return !tasks.empty() && known(tasks.front()).here != kNone<TaskId>;
  }
  [[nodiscard]] bool asks_ahead(WorkerId worker) const;
  [[nodiscard]] bool serve_without_policy(WorkerId asking);
  void drop_round();
  void decide(WorkerId asking);
  void resize();
  [[nodiscard]] Time busy(WorkerId worker) const;
  void tell();
  void begin(bool only_ready);
  [[nodiscard]] std::vector<TaskNumber> choose(bool only_ready);
  [[nodiscard]] Instance instance_of(const std::vector<TaskNumber>& tasks);
  void expect(WorkerId worker);
  void find_copies(TaskNumber task);
  void fetch(TaskId here, MemoryId memory);
  [[nodiscard]] Time expected_fetch(TaskId here, MemoryId memory) const;
  void find_arrived(WorkerId asking);
  /// How many transfers are believed to share each link, as the policies of the dm family and StarPU believe.
  [[nodiscard]] std::size_t rivals() const { return 2 * (platform_.memories().size() - 1); }
  void leave(TaskId here, MemoryId memory);
  void tell_workers();
  [[nodiscard]] Present present() const;
  [[nodiscard]] bool some_idle() const;
  void add_fresh(TaskNumber task);
  [[nodiscard]] bool some_idle_for_fresh() const;
  /// Whether some worker runs something. That it is nothing that is known here, the policy does not know.
  [[nodiscard]] bool some_busy() const;

  const Platform platform_;
  const MemoryId ram_;
  const bool follows_plan_;
  const bool may_serve_;  ///< without the policy: all workers are alike
  const DurationSource durations_;
  const MakePolicy make_policy_;
  const Aborts aborts_;
  const MakeForesight make_foresight_;
  const CopySource copies_;
  Table<ContextId, Context> contexts_;  ///< with the workers that they have now
  std::unique_ptr<Resizing> resizing_;  ///< null: workers stay
  Table<TypeId, std::string> types_;
  Table<TypeId, ContextId> context_of_;  ///< of its tasks
  Table<DataId, Datum> data_;
  Table<TypeId, Here<TypeId>> types_here_;
  Table<DataId, Here<DataId>> data_here_;
  SlidingVector<Submitted> known_;  ///< by number
  SlidingVector<Access> accesses_;
  SlidingVector<std::string> names_;  ///< by number; none where no plan is followed
  std::vector<Link> links_;
  std::uint32_t unused_link_ = kNoLink;
  std::vector<TaskNumber> active_;          ///< that are ready, or that a worker has; in any order
  std::vector<TaskNumber> fresh_;           ///< that are ready, and that the round does not know
  Table<ContextId, std::size_t> fresh_of_;  ///< how many of these each context has
  std::size_t unfinished_ = 0;
  std::size_t count_ = 0;
  std::size_t unpaid_ = 0;                       ///< of what the last round on all tasks cost
  std::unique_ptr<Round> round_;                 ///< null: none has begun, or nothing was left for it
  std::unique_ptr<Round> before_;                ///< until the next one has recalled it
  std::vector<TaskId> pushed_;                   ///< of the round's tasks, those of which the policy was not told
  std::vector<policy::Completion> completions_;  ///< likewise
  Table<WorkerId, Slot> slots_;
  Table<WorkerId, bool> away_;
  Table<WorkerId, bool> occupied_;
  bool is_outdated_ = false;  ///< the round: workers left without what they were given, or contexts changed
  std::vector<WorkerId> called_;
  std::vector<Prefetch> prefetches_;
  std::vector<Coming> coming_;
  Time now_ = 0;
};

}  // namespace heddle::host
