#pragma once

#include <memory>
#include <thread>

#include "heddle/runtime/attempt.hpp"
#include "heddle/runtime/mailbox.hpp"
#include "heddle/runtime/team.hpp"

namespace heddle::runtime {

/// A worker of a runtime: its thread, and what it was given.
struct Worker {
  Mailbox<Attempt> mailbox;
  Attempt attempt;
  Attempt* next = nullptr;  ///< the attempt that its own thread has given it
  bool busy = false;        ///< has an attempt, which may be aborted; guarded by the engine's lock
  std::unique_ptr<Team> team;
  std::thread thread;
};

}  // namespace heddle::runtime
