#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "heddle/runtime/attempt.hpp"
#include "heddle/runtime/driver.hpp"
#include "heddle/runtime/hand.hpp"
#include "heddle/runtime/mailbox.hpp"
#include "heddle/runtime/team.hpp"

namespace heddle::runtime {

/// A worker of a runtime: its thread, and what it was given. Guarded by the engine's lock, but for the mailbox, the
/// hand, and what is said to be its thread's own.
struct Worker {
  /// It runs one task, or fetches its data, and may be given another one ahead.
  static constexpr std::size_t kAhead = 1;
  /// Or so many, if they are short.
  static constexpr std::size_t kHandful = 16;

  Mailbox<Attempt> mailbox;
  std::array<Attempt, kHandful> attempts;
  std::vector<Attempt*> given;  ///< those that have not ended, in order; some may have been aborted
  std::size_t started = 0;      ///< so many of them were handed to the thread
  std::uint32_t reported = 0;   ///< so many attempts of a core have ended, of those it has begun
  bool takes_handful = false;   ///< its thread, which has the lock, may be handed more than one
  // The thread's own: what it has given itself, the attempt it has begun and those that it may begin.
  Attempt* next = nullptr;
  std::vector<Attempt*> in_hand;
  Time last_ended = 0;
  alignas(64) Hand hand;  ///< of a core
  std::unique_ptr<Team> team;
  std::unique_ptr<Driver> driver;  ///< of a device
  std::thread thread;

  [[nodiscard]] bool has_started(const Attempt& attempt) const {
    return std::ranges::find(given, &attempt) < given.begin() + static_cast<std::ptrdiff_t>(started);
  }
  /// Whether it may be handed one more: a device is asked for a kernel while it runs another.
  [[nodiscard]] bool may_start() const {
    return started < given.size() && (started == 0 || driver != nullptr || takes_handful);
  }
  /// Whether it may be given a task ahead of the one it has.
  [[nodiscard]] bool asks_ahead() const { return !given.empty() && given.size() <= kAhead && given.front()->node; }
  /// One that is in no use; it has one when it may be given a task.
  [[nodiscard]] Attempt& free_attempt() { return *std::ranges::find(attempts, false, &Attempt::is_given); }
};

}  // namespace heddle::runtime
