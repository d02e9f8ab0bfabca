#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

struct Attempt;

/// The attempts that a worker was handed, and how many of these it has begun, in the same order. Its thread begins the
/// next one without the engine's lock; who has the lock may take back what it has not begun.
class Hand {
 public:
  static constexpr std::size_t kMost = 32;  ///< that it holds

  /// Under the lock, on the worker's thread: one more.
  void add(Attempt& attempt) {
    attempts_[handed() % kMost] = &attempt;
    store(begun(), handed() + 1);
  }
  /// Under the lock, when all were begun: one more, which is begun at once.
  void add_begun() { store(begun() + 1, handed() + 1); }
  /// On the worker's thread: begins the next one; null when there is none.
  [[nodiscard]] Attempt* begin() {
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    while (state >> 32 != (state & kLow)) {
      const std::uint64_t next = (state & ~kLow) | ((state + 1) & kLow);
      if (state_.compare_exchange_weak(state, next, std::memory_order_acq_rel, std::memory_order_relaxed))
        return attempts_[state % kMost];
    }
    return nullptr;
  }
  /// Under the lock: takes back those of the last `most` that were not begun; how many.
  std::uint32_t take_back(std::uint32_t most) {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    while (true) {
      const auto left = static_cast<std::uint32_t>((state >> 32) - (state & kLow));
      const std::uint64_t taken = left < most ? left : most;
      if (taken == 0 || state_.compare_exchange_weak(state, state - (taken << 32), std::memory_order_acq_rel,
                                                     std::memory_order_acquire)) {
        return static_cast<std::uint32_t>(taken);
      }
    }
  }
  /// Whether all were begun.
  [[nodiscard]] bool empty() const { return begun() == handed(); }
  /// What was executed before the last one of these began is seen.
  [[nodiscard]] std::uint32_t begun() const {
    return static_cast<std::uint32_t>(state_.load(std::memory_order_acquire) & kLow);
  }
  [[nodiscard]] std::uint32_t handed() const {
    return static_cast<std::uint32_t>(state_.load(std::memory_order_relaxed) >> 32);
  }

 private:
  static constexpr std::uint64_t kLow = 0xffff'ffff;

  // Others write only under the lock, too, and what the worker's thread has begun meanwhile would be lost: that thread
  // is the one that adds, unless it has nothing left to begin.
  void store(std::uint32_t begun, std::uint32_t handed) {
    state_.store(std::uint64_t{handed} << 32 | begun, std::memory_order_release);
  }

  std::atomic<std::uint64_t> state_{0};
  std::array<Attempt*, kMost> attempts_{};  ///< the thread's own: those that were handed last
};

}  // namespace heddle::runtime
