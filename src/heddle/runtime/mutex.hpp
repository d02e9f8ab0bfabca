#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::runtime {

/// Tells the processor that this is a loop that waits.
inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A lock for sections of at most a few microseconds: a thread that finds it taken spins for about as long before it
/// sleeps. Lockable. The algorithm is mutex2 of Drepper, "Futexes Are Tricky", with spinning before it.
class Mutex {
 public:
  void lock() {
    for (int tries = 0; tries < kSpins; ++tries) {
      if (try_lock()) return;
      spin_pause();
    }
    while (state_.exchange(kContended, std::memory_order_acquire) != kFree) {
      state_.wait(kContended, std::memory_order_relaxed);
    }
  }
  bool try_lock() {
    std::uint32_t free = kFree;
    return state_.load(std::memory_order_relaxed) == kFree &&
           state_.compare_exchange_weak(free, kTaken, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kContended) state_.notify_one();
  }

 private:
  static constexpr int kSpins = 400;
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kContended = 2;

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace heddle::runtime
