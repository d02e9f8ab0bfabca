#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "heddle/runtime/devices/driver.hpp"
#include "heddle/runtime/job.hpp"
#include "heddle/runtime/scheduling/back_off.hpp"
#include "heddle/runtime/scheduling/execution.hpp"
#include "heddle/runtime/scheduling/short_list.hpp"
#include "heddle/runtime/threads/local_batch.hpp"
#include "heddle/runtime/threads/wake_up.hpp"

namespace heddle::runtime {

/// A worker of a runtime: its thread, and what it was given. Guarded by the engine's lock, but for the bell, the local
/// batch, and what is said to be its thread's own.
struct Worker {
  /// It runs one task, or fetches its data, and may be given another one ahead.
  static constexpr std::size_t kAhead = 1;
  /// A device whose tasks are short is given two: while one of them runs, the news that another has ended and the next
  /// decision are on their way.
  static constexpr std::size_t kAheadIfShort = 2;
  /// All that it has takes less.
  static constexpr Time kShortForDevices = 2 * kMillisecond;
  /// Or so many, if they are short.
  static constexpr std::size_t kMostInBatch = LocalBatch::kMost;

  /// `place`: of its memory, as the runtime numbers them.
  Worker(WorkerId id, ClassId c, MemoryId place) {
    for (Execution& execution : executions) {
      execution.worker = id;
      execution.resource_class = c;
      execution.memory = place;
      unused.push_back(&execution);
    }
  }

  Bell bell;
  std::array<Execution, kMostInBatch> executions;
  ShortList<Execution*, kMostInBatch> unused;  ///< of these
  ShortList<Execution*, kMostInBatch> given;   ///< those that have not ended, in order; some may have been aborted
  std::size_t started = 0;                     ///< so many of them were handed to the thread
  std::uint32_t reported = 0;                  ///< so many executions of a core have ended, of those it has begun
  std::uint32_t begun_at_once = 0;             ///< so many of these were no offers: its thread had the lock (`next`)
  Time offered = kMaxTime;             ///< since when it has an offer that is not known to be begun; kMaxTime: none
  bool away = false;                   ///< an offer was withdrawn, and its thread has not come for the lock since
  std::uint32_t waiting_for_room = 0;  ///< so many threads of its task wait until they may submit others
  Time told = 0;                       ///< until then, what it did is known: its attempts follow one another
  Time work = 0;                       ///< how long all that it was given and that was not aborted is believed to take
  bool takes_several = false;          ///< its thread, which has the lock, may be handed more than one
  BackOff back_off;
  // The thread's own:
  Execution* next = nullptr;  ///< what it has given itself, and has begun
  Time last_ended = 0;
  Time looks_again = 0;          ///< not before this at what is pending, as it has a task
  alignas(64) LocalBatch batch;  ///< of a core
  std::unique_ptr<Team> team;
  std::unique_ptr<Driver> driver;  ///< of a device
  std::thread thread;

  [[nodiscard]] WorkerId id() const { return executions.front().worker; }
  /// How many executions of a core it has begun.
  [[nodiscard]] std::uint32_t begun() const { return batch.begun() + begun_at_once; }
  [[nodiscard]] bool has_started(const Execution& execution) const {
    return std::ranges::find(given, &execution) < given.begin() + static_cast<std::ptrdiff_t>(started);
  }
  /// Whether it may be handed one more: a device is asked for a kernel while it runs another.
  [[nodiscard]] bool may_start() const {
    return started < given.size() && (started == 0 || driver != nullptr || takes_several);
  }
  /// Whether it may be given a task ahead of what it has.
  [[nodiscard]] bool asks_ahead() const {
    if (given.empty() || !given.front()->node) return false;
    return given.size() <= (driver != nullptr && work < kShortForDevices ? kAheadIfShort : kAhead);
  }
};

}  // namespace heddle::runtime
