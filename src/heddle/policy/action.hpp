#pragma once

#include <cstdint>

#include "heddle/model/ids.hpp"

namespace heddle::policy {

/// What a policy answers when workers are idle.
struct Action {
  enum class Kind : std::uint8_t {
    wait,      ///< nothing to do until the next fact
    run,       ///< start a ready task on an idle worker
    restart,   ///< spoliation: abort a running task and start it anew on an idle worker
    preempt,   ///< abort a running task; it becomes ready again
    prefetch,  ///< fetch what a ready task reads into the memory of a worker: a hint, answered by no fact
  };

  Kind kind = Kind::wait;
  TaskId task = kNone<TaskId>;
  WorkerId worker = kNone<WorkerId>;  ///< where it shall run; unused by `preempt`

  bool operator==(const Action&) const = default;
};

[[nodiscard]] constexpr Action wait() {
  return {};
}
[[nodiscard]] constexpr Action run(TaskId task, WorkerId worker) {
  return {Action::Kind::run, task, worker};
}
[[nodiscard]] constexpr Action restart(TaskId task, WorkerId worker) {
  return {Action::Kind::restart, task, worker};
}
[[nodiscard]] constexpr Action preempt(TaskId task) {
  return {Action::Kind::preempt, task, kNone<WorkerId>};
}

[[nodiscard]] constexpr Action prefetch(TaskId task, WorkerId worker) {
  return {Action::Kind::prefetch, task, worker};
}

}  // namespace heddle::policy
