#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/runtime/threads/wake_up.hpp"

namespace heddle::runtime {

struct Execution;

/// The executions that a worker was handed, and how many of these it has begun, in the same order (wake_up.hpp). Its
/// thread begins the next one without the engine's lock; a thread that has the lock may withdraw those not begun.
template <class T, class Sync = ThreadSync>
class BasicLocalBatch {
 public:
  static constexpr std::size_t kMost = 32;  ///< that it holds

  /// Under the lock, on the worker's thread or when all were begun: offers one more.
  void offer(T& execution) {
    // No other thread changes the state between load and store: the worker's thread is the one that offers, or has
    // nothing to begin.
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    executions_[(state >> 32) % kMost] = &execution;
    state_.store(state + kOne, std::memory_order_release);
  }
  /// On the worker's thread: begins the next one; null when there is none.
  [[nodiscard]] T* begin() {
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    while (state >> 32 != (state & kLow)) {
      const std::uint64_t next = (state & ~kLow) | ((state + 1) & kLow);
      if (state_.compare_exchange_weak(state, next, std::memory_order_acq_rel, std::memory_order_relaxed))
        return executions_[state % kMost];
    }
    return nullptr;
  }
  /// Under the lock: withdraws those of the last `most` that were not begun; how many.
  std::uint32_t withdraw(std::uint32_t most) {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    while (true) {
      const auto left = static_cast<std::uint32_t>((state >> 32) - (state & kLow));
      const std::uint64_t taken = left < most ? left : most;
      if (taken == 0 || state_.compare_exchange_weak(state, state - taken * kOne, std::memory_order_acq_rel,
                                                     std::memory_order_acquire)) {
        return static_cast<std::uint32_t>(taken);
      }
    }
  }
  /// Whether all were begun.
  [[nodiscard]] bool empty() const {
    const std::uint64_t state = state_.load(std::memory_order_acquire);
    return state >> 32 == (state & kLow);
  }
  /// How many were begun so far. What was executed before the last one of these began is seen.
  [[nodiscard]] std::uint32_t begun() const {
    return static_cast<std::uint32_t>(state_.load(std::memory_order_acquire) & kLow);
  }

 private:
  static constexpr std::uint64_t kLow = 0xffff'ffff;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;  ///< that was handed

  typename Sync::template Atomic<std::uint64_t> state_{0};  ///< high half: handed and not withdrawn; low half: begun
  std::array<T*, kMost> executions_{};                      ///< the last ones, by number
};

using LocalBatch = BasicLocalBatch<Execution>;

}  // namespace heddle::runtime
