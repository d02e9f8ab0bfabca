#pragma once

#include <cstdint>

namespace heddle::host {

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

}  // namespace heddle::host
