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
#include "heddle/runtime/short_list.hpp"
#include "heddle/runtime/team.hpp"

namespace heddle::runtime {

/// A worker of a runtime: its thread, and what it was given. Guarded by the engine's lock, but for the mailbox, the
/// hand, and what is said to be its thread's own.
struct Worker {
  /// It runs one task, or fetches its data, and may be given another one ahead.
  static constexpr std::size_t kAhead = 1;
  /// Or so many, if they are short.
  static constexpr std::size_t kHandful = Hand::kMost;
  /// A worker rests that waits longer for the lock than it works: there are more of them than there is to do. Longer
  /// each time, until others need it before its rest is over.
  static constexpr Time kRest = 100 * kMicrosecond;
  static constexpr Time kMostRest = 16 * kRest;
  static constexpr std::uint32_t kPatience = 2;
  static constexpr std::uint32_t kMostPatience = 1024;

  /// `place`: of its memory, as the runtime numbers them.
  Worker(WorkerId id, ClassId c, MemoryId place) {
    for (Attempt& attempt : attempts) {
      attempt.worker = id;
      attempt.resource_class = c;
      attempt.memory = place;
      unused.push_back(&attempt);
    }
  }

  Mailbox<Attempt> mailbox;
  std::array<Attempt, kHandful> attempts;
  ShortList<Attempt*, kHandful> unused;  ///< of these
  ShortList<Attempt*, kHandful> given;   ///< those that have not ended, in order; some may have been aborted
  std::size_t started = 0;               ///< so many of them were handed to the thread
  std::uint32_t reported = 0;            ///< so many attempts of a core have ended, of those it has begun
  Time work = 0;                       ///< how long all that it was given and that was not aborted is believed to take
  bool takes_handful = false;          ///< its thread, which has the lock, may be handed more than one
  Time rest = 0;                       ///< so long it is given no task, unless others need it; 0: it does not rest
  Time next_rest = kRest;              ///< how long it rests the next time
  std::uint32_t crowded = 0;           ///< so often in a row its thread waited longer for the lock than it worked
  std::uint32_t patience = kPatience;  ///< it rests when it was crowded so often
  // The thread's own:
  Attempt* next = nullptr;  ///< what it has given itself, and has begun
  Time last_ended = 0;
  Time looks_again = 0;   ///< not before this at what is pending, as it has a task
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
};

}  // namespace heddle::runtime
