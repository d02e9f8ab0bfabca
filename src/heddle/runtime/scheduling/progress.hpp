#pragma once

#include <atomic>
#include <cstdint>

#include "heddle/model/time.hpp"
#include "heddle/runtime/submission/submission.hpp"

namespace heddle::runtime {

/// How far a runtime has come: what the scheduler says under the engine's lock, and every thread may read at any time.
struct Progress {
  explicit Progress(const Submission& submission) : submission_(submission) {}

  /// How many tasks have not ended.
  [[nodiscard]] std::uint64_t unfinished() const { return submission_.submitted() - ended.load(); }
  /// Whether tasks that are pending may be taken up while some are left.
  [[nodiscard]] bool may_take_up() const { return !in_recording; }

  std::atomic<bool> some_left{false};     ///< tasks that were taken up have not ended
  std::atomic<bool> in_recording{false};  ///< what is left was recorded: nothing else is taken up
  /// Tasks are gone, or durations far from what the epoch believes: another one is due.
  std::atomic<bool> outdated{false};
  /// When an epoch may begin again other than because there is nothing else to do.
  std::atomic<Time> look_again{0};
  /// When an idle worker looks whether workers that are busy, and for which the policy has tasks wait, take much longer
  /// than it was told; kMaxTime: there are no such tasks, or no worker is idle.
  std::atomic<Time> overrun_at{kMaxTime};
  /// When a worker looks whether offers have to be withdrawn; kMaxTime: all are known to be begun.
  std::atomic<Time> withdraw_at{kMaxTime};
  alignas(64) std::atomic<std::uint64_t> ended{0};  ///< how many tasks have

 private:
  const Submission& submission_;
};

}  // namespace heddle::runtime
