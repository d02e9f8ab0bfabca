#pragma once

#include <cstdint>
#include <vector>

#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// A host that keeps its own books, checks that every answer of a policy is legal, and makes trouble: it ends tasks in
/// any order, refuses answers, aborts attempts, and lets workers leave and come back. Every choice is drawn from the
/// seed.
class FaultHost {
 public:
  FaultHost(const Instance& instance, policy::Policy policy, std::uint64_t seed);

  /// Until every task has completed. Reports illegal answers and a policy that never ends as test failures.
  void run();

 private:
  enum class Status : std::uint8_t { waiting, ready, running, done };
  /// Finds futures good or bad for no reason; in all of them happens what `eager` would do.
  struct Fickle final : policy::Lookahead {
    Fickle(const Instance& here, std::uint64_t seed) : instance(here), random(seed) {}
    [[nodiscard]] std::optional<Time> run(policy::Policy policy, const Observer& observer) const override;
    [[nodiscard]] Time makespan_on(const Instance&, policy::Policy) const override { return draw(random, 1, 9); }
    [[nodiscard]] std::uint64_t events() const override { return 0; }
    const Instance& instance;
    mutable Random random;
    [[nodiscard]] Future until(policy::Policy, TaskId) const override { return {0, idle}; }
    Table<ClassId, bool> idle;
  };

  void start();
  void ask();
  [[nodiscard]] bool is_legal(policy::Action action) const;
  void carry_out(policy::Action action);
  void happen();
  void finish(WorkerId worker);
  void interrupt(WorkerId worker);
  void leave(WorkerId worker);
  void come_back(WorkerId worker);
  [[nodiscard]] std::vector<WorkerId> busy() const;

  const Instance& instance_;
  policy::Policy policy_;
  Random random_;
  policy::HostView view_;
  Fickle lookahead_;
  Table<TaskId, Status> status_;
  Table<TaskId, std::size_t> waiting_;
  Table<TaskId, WorkerId> worker_;
  std::size_t completed_ = 0;
  bool calm_ = false;  ///< after a while no more trouble is made, so that the run ends
};

}  // namespace heddle::test
