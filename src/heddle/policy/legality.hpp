#pragma once

#include <cstddef>
#include <string>

#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// What a host says of a policy that acts within one instant without end.
inline constexpr const char* kEndless = "it does not stop acting within one instant";

/// So many actions of one instant are never too many: a sound policy aborts each worker, and has the data of each task
/// fetched, a few times at most.
[[nodiscard]] constexpr std::size_t most_actions(std::size_t workers, std::size_t tasks) {
  constexpr std::size_t kSome = 4096;
  return kSome + 64 * workers + 2 * tasks;
}

/// Why the answer, about a task that there is, cannot be carried out; null when it can be. `ready`, `runs`: whether the
/// task is, and does.
[[nodiscard]] inline const char* objection_to(const Action& action, const View& view, bool ready, bool runs) {
  using Kind = Action::Kind;
  const bool aborts = action.kind == Kind::restart || action.kind == Kind::preempt;
  if (aborts && !runs) return "the task is not running";
  if (!aborts && !ready) return "the task is not ready";
  if (action.kind == Kind::preempt) return nullptr;
  if (index(action.worker) >= view.platform().worker_count()) return "there is no such worker";
  if (action.kind == Kind::prefetch) return nullptr;
  if (!view.is_idle(action.worker)) return "the worker is not idle";
  if (!view.can_run(action.task, view.platform().class_of(action.worker)))
    return "the worker's class cannot run the task";
  return aborts && view.asks_ahead() ? "workers that ask ahead are busy" : nullptr;
}

/// The same in a sentence, for an answer to which there is an objection.
[[nodiscard]] std::string describe_illegal(const Action& action, const View& view, const char* objection);

}  // namespace heddle::policy
