#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "heddle/host/present.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::host {

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
