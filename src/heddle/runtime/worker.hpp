#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "heddle/runtime/attempt.hpp"
#include "heddle/runtime/driver.hpp"
#include "heddle/runtime/mailbox.hpp"
#include "heddle/runtime/team.hpp"

namespace heddle::runtime {

/// A worker of a runtime: its thread, and what it was given. All but the mailbox and the thread is guarded by the
/// engine's lock.
struct Worker {
  /// It runs one task, or fetches its data, and may be given another one ahead.
  static constexpr std::size_t kAhead = 1;

  Mailbox<Attempt> mailbox;
  std::array<Attempt, 1 + kAhead> attempts;
  std::vector<Attempt*> given;  ///< those that count, in order; the first may have been aborted and not returned
  bool computes = false;        ///< the first of them was handed to the thread
  Attempt* next = nullptr;      ///< the attempt that its own thread has given it
  std::unique_ptr<Team> team;
  std::unique_ptr<Driver> driver;  ///< of a device
  std::thread thread;

  /// Whether it may be given a task ahead of the one it has.
  [[nodiscard]] bool asks_ahead() const { return !given.empty() && given.size() <= kAhead && given.front()->node; }
  /// One that is in no use; it has one when it may be given a task.
  [[nodiscard]] Attempt& free_attempt() {
    return &attempts[0] == (given.empty() ? nullptr : given.front()) ? attempts[1] : attempts[0];
  }
};

}  // namespace heddle::runtime
