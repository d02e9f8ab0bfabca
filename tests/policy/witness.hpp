#pragma once

#include <memory>
#include <vector>

#include "heddle/policy/policy.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// What can be seen of a simulation from outside: enough to tell its present, as a host that is no simulator has to.
/// Where reducing tasks have accumulated something in private cannot be seen.
class Seen {
 public:
  Seen(const Instance& instance, policy::Policy policy);

  /// After each step of the simulation.
  void update(const sim::Simulation& simulation);
  /// The moment after the last step of an instant. `attempts`: all that will ever be.
  [[nodiscard]] host::Present present(const sim::Simulation& simulation, const std::vector<Attempt>& attempts) const;
  /// Whether what is seen decides the future.
  [[nodiscard]] bool tells_all(const host::Present& present) const;
  /// Whether some task that reduces has completed.
  [[nodiscard]] bool reduced() const { return reduced_; }

  // What the policy is told:
  void ready(std::span<const TaskId> tasks);
  void started(TaskId task, WorkerId worker);
  void left(TaskId task, WorkerId worker, host::Status status);

  std::shared_ptr<policy::Policy> policy;  ///< that decides
  const policy::View* view = nullptr;      ///< of the simulation

 private:
  [[nodiscard]] std::size_t at(DataId data, MemoryId memory) const { return index(data) * memories_ + index(memory); }
  void completed(const Attempt& attempt);
  void settle(DataId data, Time now);

  const Instance& instance_;
  std::size_t memories_;
  Table<TaskId, host::Status> status_;
  Table<WorkerId, std::vector<TaskId>> given_;
  std::vector<host::Present::Copy> copies_;
  Table<DataId, bool> written_;  ///< in the last step
  std::size_t attempts_ = 0;     ///< that were looked at
  bool reduced_ = false;
  /// Whether a value was written while a copy of the one before was under way. That transfer goes on unseen, and is in
  /// no log if the run ends before it.
  bool outdated_ = false;
};

/// A policy that lets another one decide, and all that it is told be seen.
class Witness {
 public:
  explicit Witness(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}

  void start(const policy::View& view) {
    seen_->view = &view;
    seen_->policy->start(view);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    seen_->ready(tasks);
    seen_->policy->ready(view, tasks);
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    seen_->started(task, worker);
    seen_->policy->started(view, task, worker);
  }
  void finished(const policy::View& view, std::span<const policy::Completion> done) {
    for (const policy::Completion& one : done) seen_->left(one.task, one.worker, host::Status::done);
    seen_->policy->finished(view, done);
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    seen_->left(task, worker, host::Status::waiting);
    seen_->policy->aborted(view, task, worker);
  }
  [[nodiscard]] policy::Action next(const policy::View& view) { return seen_->policy->next(view); }
  [[nodiscard]] bool keeps_order() const { return seen_->policy->keeps_order(); }
  [[nodiscard]] bool polls() const { return seen_->policy->polls(); }

 private:
  std::shared_ptr<Seen> seen_;
};

/// What happened before a moment and after it. Transfers that were under way then are taken to have begun then: what
/// is known of them does not say where they came from.
[[nodiscard]] Schedule joined(const sim::Simulation& past, const sim::Simulation& future);

/// A moment at which a policy takes over: some tasks run or were given, data is anywhere.
[[nodiscard]] host::Present random_present(Random& random, const Instance& instance);

}  // namespace heddle::test
