#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heddle/host/session.hpp"
#include "heddle/model/projection.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy.hpp"
#include "tests/policy/host_copies.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// A host that makes trouble. Every choice is drawn from the seed:
///  - It ends tasks in any order, refuses answers, aborts attempts, and lets workers leave and come back.
///  - Where the platform has links it moves data: what a task reads is fetched to the memory of the worker that it was
///    given to, or for which the policy prefetches it, and the task starts when that is there. Workers then ask ahead
///    for one more task. What reduces into a datum does so in place, one task at a time.
///  - Sometimes another policy takes over in the middle of the run, as in the runtime: on the graph of the tasks that
///    have not ended, with other numbers, while workers run some of them, and data is wherever it has come to.
/// In the end it validates the schedule, with all attempts and transfers.
class FaultHost {
 public:
  /// Makes a policy for an instance, which outlives it.
  using Make = std::function<policy::Policy(const Instance&)>;

  FaultHost(const Instance& instance, Make make, std::uint64_t seed, host::Aborts aborts = host::Aborts::allowed);

  /// Until every task has completed. Reports a policy that never ends and a schedule that is not valid as test
  /// failures; throws InternalError when an answer is illegal.
  void run();
  /// What has happened: complete when run() has ended and all was well.
  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

 private:
  class Acts;
  /// Finds futures good or bad for no reason; in all of them happens what `eager` would do.
  struct Fickle final : policy::Lookahead {
    Fickle(const Instance& here, std::uint64_t seed) : instance(here), random(seed) {}
    [[nodiscard]] std::optional<Time> run(policy::Policy policy, const Observer& observer) const override;
    [[nodiscard]] Time makespan_on(const Instance&, policy::Policy) const override { return draw(random, 1, 9); }
    [[nodiscard]] std::uint64_t events() const override { return 0; }
    const Instance& instance;
    mutable Random random;
    [[nodiscard]] Future until(policy::Policy, TaskId, std::span<const WorkerId>) const override { return {0, idle}; }
    Table<ClassId, bool> idle;
  };
  /// A policy and what it knows. Its tasks have numbers of their own.
  struct Epoch {
    Epoch(Projection left_over, const Make& make, std::uint64_t seed, host::Aborts aborts);

    Projection left;
    host::Session session;
    Fickle lookahead;
    bool keeps_order = false;
  };
  /// What a worker was given, in order; the first may have started.
  struct Given {
    std::vector<TaskId> tasks;
    std::optional<Time> since;
  };

  // The policy:
  void begin_epoch();
  [[nodiscard]] host::Session& session() { return epoch_->session; }
  [[nodiscard]] TaskId here(TaskId task) const { return epoch_->left.here[task]; }
  [[nodiscard]] TaskId whole(TaskId here) const { return epoch_->left.whole[index(here)]; }
  void tell_ready(std::vector<TaskId> tasks);
  void tell_aborted(TaskId task, WorkerId worker);
  void ask();
  void expect(WorkerId worker);

  // Tasks and workers, with the numbers of the whole run:
  void release(std::vector<TaskId> tasks);
  void take_from(WorkerId worker, TaskId task);
  void advance();
  [[nodiscard]] bool can_start(TaskId task, WorkerId worker, bool is_first);
  [[nodiscard]] bool take(TaskId task, bool reduces);
  void let_go(TaskId task);
  [[nodiscard]] std::vector<WorkerId> executing() const;

  // Events:
  void happen();
  void finish(WorkerId worker);
  void interrupt(WorkerId worker);
  void leave(WorkerId worker);
  void come_back(WorkerId worker);

  const Instance& instance_;
  const Make make_;
  const host::Aborts aborts_;
  Random random_;
  Time now_ = 0;
  HostCopies copies_;
  std::unique_ptr<Epoch> epoch_;
  Table<TaskId, host::Status> status_;
  Table<TaskId, std::size_t> waiting_;
  Table<TaskId, WorkerId> worker_;
  Table<WorkerId, Given> given_;
  Table<DataId, TaskId> holder_;    ///< the task that has the datum for itself; kNone: none has
  std::vector<TaskId> contending_;  ///< tasks that are ready but for a datum that another one has
  Schedule schedule_;
  std::size_t completed_ = 0;
  bool calm_ = false;  ///< after a while no more trouble is made, so that the run ends
};

}  // namespace heddle::test
