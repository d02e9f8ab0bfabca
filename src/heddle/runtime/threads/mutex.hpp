#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "heddle/runtime/threads/lock_times.hpp"

// What clang's thread-safety analysis checks (-Wthread-safety): that what a mutex guards is touched only by those who
// hold it. Other compilers read nothing here.
#if defined(__clang__)
#define HEDDLE_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define HEDDLE_THREAD_SAFETY(attribute)
#endif
#define HEDDLE_CAPABILITY(name) HEDDLE_THREAD_SAFETY(capability(name))
#define HEDDLE_SCOPED_CAPABILITY HEDDLE_THREAD_SAFETY(scoped_lockable)
#define HEDDLE_GUARDED_BY(mutex) HEDDLE_THREAD_SAFETY(guarded_by(mutex))
#define HEDDLE_REQUIRES(mutex) HEDDLE_THREAD_SAFETY(requires_capability(mutex))
#define HEDDLE_ACQUIRE(...) HEDDLE_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define HEDDLE_TRY_ACQUIRE(result) HEDDLE_THREAD_SAFETY(try_acquire_capability(result))
#define HEDDLE_RELEASE(...) HEDDLE_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define HEDDLE_ASSERT_CAPABILITY(mutex) HEDDLE_THREAD_SAFETY(assert_capability(mutex))

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
class HEDDLE_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
#ifdef HEDDLE_MEASURE_LOCKS
  /// Notes how long it is held.
  explicit Mutex(LockTimes& times) : times_(&times) {}
#endif

  void lock() HEDDLE_ACQUIRE() {
    for (int tries = 0; tries < kSpins; ++tries) {
      if (try_lock()) return;
      spin_pause();
    }
    while (state_.exchange(kContended, std::memory_order_acquire) != kFree) {
      state_.wait(kContended, std::memory_order_relaxed);
    }
    note_taken();
  }
  bool try_lock() HEDDLE_TRY_ACQUIRE(true) {
    std::uint32_t free = kFree;
    const bool taken = state_.load(std::memory_order_relaxed) == kFree &&
                       state_.compare_exchange_weak(free, kTaken, std::memory_order_acquire, std::memory_order_relaxed);
    if (taken) note_taken();
    return taken;
  }
  void unlock() HEDDLE_RELEASE() {
    note_free();
    if (state_.exchange(kFree, std::memory_order_release) == kContended) [[unlikely]]
      state_.notify_one();
  }
  /// For the analysis, in a function that it cannot follow, as a lambda: the caller holds the mutex.
  void assert_held() const HEDDLE_ASSERT_CAPABILITY(this) {}

 private:
  static constexpr int kSpins = 400;
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kContended = 2;

#ifdef HEDDLE_MEASURE_LOCKS
  void note_taken() {
    if (times_ != nullptr) times_->begin();
  }
  void note_free() {
    if (times_ != nullptr) times_->end();
  }

  LockTimes* times_ = nullptr;
#else
  void note_taken() {}
  void note_free() {}
#endif
  std::atomic<std::uint32_t> state_{kFree};
};

/// Holds a mutex while it lives, but for the time between unlock() and lock().
class HEDDLE_SCOPED_CAPABILITY Lock {
 public:
  explicit Lock(Mutex& mutex) HEDDLE_ACQUIRE(mutex) : mutex_(mutex) { mutex.lock(); }
  /// Of a mutex that the thread holds.
  Lock(Mutex& mutex, std::adopt_lock_t) HEDDLE_REQUIRES(mutex) : mutex_(mutex) {}
  ~Lock() HEDDLE_RELEASE() {
    if (holds_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() HEDDLE_ACQUIRE() {
    mutex_.lock();
    holds_ = true;
  }
  void unlock() HEDDLE_RELEASE() {
    mutex_.unlock();
    holds_ = false;
  }

 private:
  Mutex& mutex_;
  bool holds_ = true;
};

}  // namespace heddle::runtime
