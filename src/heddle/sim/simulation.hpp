#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/host/ready_tracker.hpp"
#include "heddle/host/session.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/data_mover.hpp"
#include "heddle/sim/end_times.hpp"
#include "heddle/sim/simulate.hpp"

namespace heddle::sim {

/// One run of a policy on an instance in simulated time: the discrete-event engine. Deterministic: same instance,
/// policy, options and seed, same schedule. A value: a copy taken between two steps runs on independently.
///
/// At an instant, every attempt that ends then completes, in worker order; the tasks this releases become ready
/// together, in task order; transfers that end then are settled; then the policy acts until it waits. Work that takes
/// no time ends within the instant, which is then gone through again.
///
/// On a platform with links, a task that the policy gives to a worker starts when the worker is free and the data is
/// there (DataMover); workers ask ahead (Config::ahead). Without links transfers are free.
///
/// The instance must outlive the simulation. Throws InternalError when the policy asks for what cannot be done, or
/// waits for ever.
class Simulation {
 public:
  Simulation(const Instance& instance, policy::Policy policy, const Config& config = {});
  /// Begins in the middle of a run. What the present does not tell is taken to be as simple as it can be:
  /// - a copy that is coming comes over the shortest route from a memory that has it, behind those asked for before; if
  ///   it is late it comes now. Private copies that are on their way are still where they came from;
  /// - a datum that no memory has is at home;
  /// - what workers were given is given room in the order of their queues, the first ones first; all data was last used
  ///   at the same time;
  /// - a task that waits although its predecessors are done waits for what it commutes on; failing that, for the next
  ///   attempt to end.
  Simulation(const Instance& instance, policy::Policy policy, const host::Present& present, const Config& config = {});

  /// Goes on to the next instant; false when every task has completed.
  bool step();
  [[nodiscard]] bool finished() const { return completed_tasks() == instance_->graph.task_count(); }
  [[nodiscard]] const Instance& instance() const { return *instance_; }
  [[nodiscard]] Time now() const { return view().now(); }
  [[nodiscard]] std::size_t completed_tasks() const { return session_.done_count() + followed_; }
  /// What the policy has to tell of the run so far, in a sentence; mostly empty.
  [[nodiscard]] std::string note() const { return session_.policy().note(); }
  /// Of workers between contexts so far (Policy::moves).
  [[nodiscard]] std::vector<WorkerMove> moves() const { return session_.policy().moves(); }
  /// What happened so far, in the order in which attempts ended.
  [[nodiscard]] const std::vector<Attempt>& attempts() const { return attempts_; }
  /// Copies between memories that have ended, in that order.
  [[nodiscard]] const std::vector<Transfer>& transfers() const { return transfers_; }

 private:
  friend class Ahead;
  class AheadOfThis;
  class Acts;

  struct Task {
    std::uint32_t attempts = 0;
    WorkerId worker = kNone<WorkerId>;  ///< while running
  };

  /// A task that was given to a worker and waits there for its data.
  struct Given {
    TaskId task;
    WorkerId worker;
    bool holds = false;      ///< what it commutes on
    bool staged = false;     ///< its data has room in the worker's memory
    bool supplied = false;   ///< and is all there
    std::uint64_t news = 0;  ///< what that was true of (DataMover::news)
  };

  /// Attempts that end from some moment on.
  struct Foreseen {
    std::vector<Attempt> attempts;
    std::vector<std::size_t> repeats;  ///< those with which a step begins that is at the instant of the one before

    /// What comes after so many attempts and repeats is another one.
    void replace_end(std::size_t attempts_kept, std::size_t repeats_kept, const Foreseen& end);
  };

  void resume_tasks(const host::Present& present);
  void resume_work(const host::Present& present);
  void resume_turns();
  void take_turns_of_given();
  void start();
  void complete_attempts();
  void tell_ready();
  void act();
  /// Whether the worker, which has tasks, asks for another one ahead.
  [[nodiscard]] bool has_room_ahead(WorkerId worker) const;
  void give(TaskId task, WorkerId worker);
  void expect(WorkerId worker);
  void leave_worker(TaskId task, WorkerId worker, bool completed);
  void begin_supplied();
  [[nodiscard]] bool is_supplied(Given& given);
  void begin(TaskId task, WorkerId worker);
  [[nodiscard]] bool computes(WorkerId worker) const { return ends_.end(worker) != kMaxTime; }
  void take_back(TaskId task);
  void believe(TaskId task, WorkerId worker);
  [[nodiscard]] Time next_event() const { return std::min(ends_.next(), data_ ? data_->next() : kMaxTime); }
  void record(TaskId task, WorkerId worker, Outcome outcome);
  void add(const Attempt& attempt);
  void reserve_attempts();
  /// Whether what is foreseen from now on, when the policy asks, comes to the letter if it decides so.
  [[nodiscard]] bool may_follow() const;
  /// So the run goes on from here if the policy says that it follows the best.
  void foresee(Foreseen foreseen);
  [[nodiscard]] bool is_foreseen(const Attempt& attempt);
  void follow();
  [[nodiscard]] policy::HostView& view() { return session_.view(); }
  [[nodiscard]] const policy::HostView& view() const { return session_.view(); }
  [[nodiscard]] Simulation look_ahead(policy::Policy policy, std::uint64_t& events);

  const Instance* instance_;
  host::Session session_;
  std::shared_ptr<const Noise::Durations> believed_;  ///< the truth when looking ahead
  std::shared_ptr<const Noise::Durations> durations_;
  EndTimes ends_;
  host::ReadyTracker waiting_;
  std::optional<DataMover> data_;  ///< absent when transfers are free
  bool waits_on_workers_ = false;  ///< tasks may have to wait on the worker they were given to
  bool workers_return_ = false;    ///< the policy that goes on is to be told (Present)
  std::uint32_t ahead_;
  MemoryId ram_;
  std::vector<Given> given_;                       ///< tasks that do not compute yet, in the order they were given
  Table<WorkerId, std::vector<TaskId>> assigned_;  ///< what each worker was given, the first running
  Table<TaskId, Task> tasks_;
  Table<WorkerId, Time> start_;
  bool started_ = false;
  bool recording_ = true;
  TaskId watched_ = kNone<TaskId>;   ///< when looking ahead to whether its attempt is aborted: kNone once it is
  std::uint64_t* events_ = nullptr;  ///< when looking ahead: where attempts that end are counted
  std::uint64_t weight_ = 1;         ///< and as how many
  bool steps_singly_ = false;        ///< the state of tasks and workers is looked at after each step
  bool may_use_threads_ = true;
  std::shared_ptr<const Foreseen> foreseen_;  ///< by the policy, since it asked
  std::size_t next_foreseen_ = 0;
  bool follows_ = false;      ///< what is foreseen comes, and the policy is called no more
  std::size_t followed_ = 0;  ///< tasks completed since then
  std::vector<Attempt> attempts_;
  std::vector<std::size_t> repeats_;  ///< Foreseen::repeats, of these
  std::vector<Transfer> transfers_;
  // Of the present instant; members only to save allocations.
  std::vector<policy::Completion> completions_;
  Table<MemoryId, bool> full_;
};

/// What happened in a simulation, with the names of the policy that decided and of the noise.
[[nodiscard]] Schedule make_schedule(const Simulation& simulation, const std::string& policy, const Config& config);

}  // namespace heddle::sim
