#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::host {

/// How far a task has come.
enum class Status : std::uint8_t {
  waiting,  ///< for predecessors, or for a datum that it commutes on
  ready,    ///< and the policy was told so
  running,  ///< given to a worker, where it may wait for its data
  done,
};

/// What a policy that aborts tasks (spoliation, preemption) can have of its host.
enum class Aborts : std::uint8_t {
  allowed,  ///< any attempt can be aborted
  /// None that has begun can. But when the policy gives a task to a worker of a class that is not the fastest for it,
  /// the host looks ahead. If the policy would abort that attempt, the host holds it back: it tells the
  /// policy that the attempt has started, and starts nothing. So far as the future is as expected, the policy then
  /// aborts it, and nothing is lost. If it does not, the host decides anew, and may start it late.
  hold_back,
  none,  ///< none can: what asks for it is refused
};

/// A moment in a run, from which its future can be simulated.
struct Present {
  /// What a worker was given and has not ended.
  struct Work {
    std::vector<TaskId> tasks;    ///< in the order in which they were given
    std::optional<Time> since{};  ///< when the first of them started; nothing while it waits, for its data for example
    std::size_t committed = 0;    ///< so many of the first of them cannot be aborted
  };

  /// What a memory has of a datum.
  struct Copy {
    policy::HostView::Copy state = policy::HostView::Copy::none;
    bool partial = false;  ///< and what reducing tasks accumulated there in private
    Time since = 0;        ///< when it is coming: since when its transfer runs
  };

  Time now = 0;
  /// Whether the policy that asks has been told so far what is ready and what runs; not in its start(). What it finds
  /// there is one task on a worker (View::running): those that were given after it are ready again.
  bool started = true;
  /// Workers of which the policy was told that they have left are about to come back.
  bool workers_return = false;
  /// What Policy::keeps_order says of the policy that gave tasks to workers: which tasks hold data they commute on.
  bool keeps_order = false;
  /// Of attempts that begin from now on; those that are held back now are work that can be aborted.
  Aborts aborts = Aborts::allowed;
  Table<TaskId, Status> status;
  Table<WorkerId, Work> work;
  /// By datum and memory; empty when all data is at home, as it is where there are no links.
  std::vector<Copy> copies{};
};

/// What policies look ahead with, and what hosts do that hold back what would be aborted.
class Foresight : public policy::Lookahead {
 public:
  /// When the attempt would be aborted that begins now if the worker, which is idle, gets the task, as `policy` has
  /// just answered; nothing when it would complete. Here, attempts that begin from now on can be aborted.
  [[nodiscard]] virtual std::optional<Time> abort_of(policy::Policy policy, TaskId task, WorkerId worker) const = 0;
  /// The present is another one from now on, and nothing was counted yet (events).
  virtual void renew() = 0;
};

/// Makes one for an engine that describes its present when asked. The instance outlives it.
using MakeForesight =
    std::function<std::unique_ptr<Foresight>(const Instance& instance, std::function<Present()> present)>;

}  // namespace heddle::host
