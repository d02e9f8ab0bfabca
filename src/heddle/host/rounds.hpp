#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/host/session.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::host {

/// A task among all that were submitted, in their order.
enum class TaskNumber : std::uint32_t {};

/// Hosts a policy in an engine that has a queue of its own between submission and workers (push and pop): tasks become
/// known while others run, the engine says which are ready, workers ask for their next task, and no task is taken back
/// from a worker. Policies that would take tasks back have their answers refused, or held back (Aborts).
///
/// A policy decides on an instance that does not change. So it decides in rounds: each is a run of a new policy on the
/// tasks that are known and not done, which recalls the one before, and is told what workers have and what is ready. A
/// round begins when the last one has no tasks left, and when a worker stays idle although there are tasks that the
/// last one does not know; it costs as much as it has tasks.
///
/// An engine may not show all dependencies. A task that is not ready although all predecessors that are known have
/// ended waits for something else: it is left out of the round, and so are all that follow it. If the policy still
/// waits for ever while tasks are ready, a round begins on those alone.
///
/// What moves data is not known here: the view shows all of it at home.
class Rounds {
 public:
  /// How long tasks of a type are believed to take on a class; kCannotRun where they cannot run. Asked when a round
  /// begins.
  using DurationSource = std::function<Time(TypeId, ClassId)>;
  /// Makes a policy that knows nothing yet. The instance outlives it.
  using MakePolicy = std::function<policy::Policy(const Instance&)>;

  struct Task {
    TypeId type{};
    std::vector<TaskNumber> after{};  ///< the predecessors that are known
    std::vector<Access> accesses{};   ///< each datum once
    std::int64_t priority = 0;
    std::string name{};
  };

  /// `make_foresight` makes what policies look ahead with; without it they cannot, and nothing is held back. Aborts are
  /// never `allowed`.
  Rounds(Platform platform, DurationSource durations, MakePolicy make_policy, Aborts aborts = Aborts::none,
         MakeForesight make_foresight = {});

  TypeId add_type(std::string name);
  DataId add_datum(Datum datum);
  /// A task is known from now on.
  TaskNumber submit(Task task);
  /// The task waits for nothing any more.
  void push(TaskNumber task);
  /// The worker, which has no task, asks for one: lets the policy decide. Nothing: it waits. Throws InternalError when
  /// the policy asks for what cannot be done.
  [[nodiscard]] std::optional<TaskNumber> pop(WorkerId worker, Time now);
  /// The worker has ended the task that it popped.
  void finished(WorkerId worker, Time now);
  /// The worker leaves or comes back. What it was given and has not popped is ready again; what it popped it still
  /// ends.
  void set_available(WorkerId worker, bool available);
  /// The worker runs something that is not known here, or has ended it: meanwhile it is not idle.
  void set_occupied(WorkerId worker, bool occupied) { occupied_[worker] = occupied; }
  /// Workers that have got a task, by decisions made while another one asked, since the last call: they shall ask.
  [[nodiscard]] std::vector<WorkerId> take_called() { return std::exchange(called_, {}); }

  /// How many tasks were submitted and have not ended.
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }
  /// How many rounds have begun.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  class Acts;

  struct Known {
    Task task;
    Status status = Status::waiting;  ///< `ready`: was pushed
    TaskId here = kNone<TaskId>;      ///< in the round; kNone: it does not know the task
    std::vector<TaskNumber> next{};   ///< those that are known to wait for it
    std::size_t reached = 0;          ///< while a round is chosen: how many of those that it waits for are in it
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
  struct Slot {
    std::optional<TaskNumber> task;  ///< which the policy gave to the worker
    bool popped = false;
    Time since = 0;  ///< when it was popped
  };

  [[nodiscard]] Known& known(TaskNumber task) { return known_[static_cast<std::size_t>(task) - forgotten_]; }
  [[nodiscard]] const Known& known(TaskNumber task) const {
    return known_[static_cast<std::size_t>(task) - forgotten_];
  }
  /// Whether a task has ended; maybe it is forgotten.
  [[nodiscard]] bool is_done(TaskNumber task) const {
    const auto number = static_cast<std::size_t>(task);
    return number < forgotten_ || known_[number - forgotten_].status == Status::done;
  }
  void decide();
  void tell();
  void begin(bool only_ready);
  [[nodiscard]] std::vector<TaskNumber> choose(bool only_ready);
  [[nodiscard]] Instance instance_of(const std::vector<TaskNumber>& tasks);
  void expect(WorkerId worker);
  void tell_workers();
  [[nodiscard]] Present present() const;
  [[nodiscard]] bool some_idle() const;
  /// Whether some worker runs something. That it is nothing that is known here, the policy does not know.
  [[nodiscard]] bool some_busy() const;

  const Platform platform_;
  const DurationSource durations_;
  const MakePolicy make_policy_;
  const Aborts aborts_;
  const MakeForesight make_foresight_;
  std::vector<std::string> types_;
  Table<DataId, Datum> data_;
  std::deque<Known> known_;      ///< from `forgotten_` on
  std::size_t forgotten_ = 0;    ///< tasks, all of which have ended
  std::set<TaskNumber> active_;  ///< that are ready, or that a worker has
  std::size_t unfinished_ = 0;
  std::size_t count_ = 0;
  bool some_unknown_ = false;                    ///< to the round
  std::unique_ptr<Round> round_;                 ///< null: none has begun, or nothing was left for it
  std::unique_ptr<Round> before_;                ///< until the next one has recalled it
  std::vector<TaskId> pushed_;                   ///< of the round's tasks, those of which the policy was not told
  std::vector<policy::Completion> completions_;  ///< likewise
  Table<WorkerId, Slot> slots_;
  Table<WorkerId, bool> away_;
  Table<WorkerId, bool> occupied_;
  bool returned_ = false;  ///< tasks of workers that left
  std::vector<WorkerId> called_;
  Time now_ = 0;
};

}  // namespace heddle::host
