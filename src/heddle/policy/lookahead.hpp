#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/model/time.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::policy {

/// Through this a policy looks ahead: its host simulates, from the present moment and on the estimates, what would
/// happen if another policy took over. Handed in by the host through the View.
class Lookahead {
 public:
  virtual ~Lookahead() = default;

  /// Is told each attempt of the future as it ends; false ends the simulation.
  using Observer = std::function<bool(const Attempt&)>;

  /// The makespan of the whole run if `policy` decided from now on; nothing when the observer had seen enough; an
  /// empty one never has. The policy must have been told every fact so far, as a copy of the asking policy has; it is
  /// told no fact again. A policy that asks in its start() thus hands in one that knows nothing yet, which is started.
  /// Without noise the answer is what would happen.
  [[nodiscard]] virtual std::optional<Time> run(Policy policy, const Observer& observer) const = 0;
  /// The same to its end.
  [[nodiscard]] Time makespan(Policy policy) const { return *run(std::move(policy), {}); }
  /// The same for each of several policies that look ahead to nothing themselves, and of which all or none keep order
  /// or poll. A host may simulate only once what they decide alike; it is counted (events) for each of them. After that
  /// a policy may say that it goes on as the best of them (Policy::follows_best).
  [[nodiscard]] virtual std::vector<Time> makespans(std::vector<Policy> policies) const {
    std::vector<Time> times;
    for (Policy& policy : policies) times.push_back(makespan(std::move(policy)));
    return times;
  }

  /// How many attempts have ended in simulations through this, and in simulations within those: what looking ahead
  /// cost since the call of the policy began, in a measure that is the same on every machine.
  [[nodiscard]] virtual std::uint64_t events() const = 0;

  /// The makespan of a whole run of a policy, which knows nothing yet, on another instance, on its estimates.
  [[nodiscard]] virtual Time makespan_on(const Instance& instance, Policy policy) const = 0;

  /// What happens until a task has completed.
  struct Future {
    Time end = 0;                ///< when it has
    Table<ClassId, bool> idled;  ///< whether some worker of the class had nothing to do meanwhile
  };
  /// The same, no further than until a task that has not completed yet has: cheaper than the whole run. `among`: the
  /// workers that Future::idled tells of; none: all.
  [[nodiscard]] virtual Future until(Policy policy, TaskId task, std::span<const WorkerId> among) const = 0;
};

}  // namespace heddle::policy
