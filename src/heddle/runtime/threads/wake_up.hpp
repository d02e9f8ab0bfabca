#pragma once

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>

#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::runtime {

// The wake-up protocol: how a worker's thread learns that there is something to do, and how the other workers go on
// when the operating system does not run that thread.
//
// A worker has a bell (BasicBell) and a local batch of executions (BasicLocalBatch). Both are one atomic word each,
// whose value is the state. The bell's word is the mode of the thread, which only the thread changes, and the news for
// it, which any thread leaves:
//
//   mode        the thread
//   working     runs tasks or waits for the engine's lock
//   looking     has no task and watches the word for some microseconds
//   asleep      has no task and sleeps until there is news, or until its deadline
//   backed off  sleeps likewise although there may be tasks: it is no idle worker
//
//   from                         to          step
//   working                      looking     wait(), if there is no news
//   looking                      asleep      wait(), if there is still no news
//   working                      backed off  back_off(), if there is no news
//   looking, asleep, backed off  working     the thread has news, which it takes, or reached its deadline
//   any mode                     the same    call(): adds the news "called", after an offer; wakes the thread if it
//                                            sleeps and had no news
//   any mode                     the same    ring(): adds the news "rung" (look around), and wakes likewise
//
// An execution of a task in the local batch:
//
//   offered    put there under the engine's lock; then the worker is called, unless its own thread has the lock
//   begun      from offered, by the worker's thread without the lock: it is going to run the kernel
//   withdrawn  from offered, by another worker's thread under the engine's lock: the task is ready again
//
// Begun and withdrawn exclude each other: each is one compare-and-exchange of the same word.
//
// What keeps tasks from being left lying:
// - A thread that has something for a worker writes it first (an execution offered, a task pending) and calls or rings
//   afterwards. The worker's thread first says that it is idle, then looks, then sleeps; it does not sleep over news.
//   So one of the two sees the other.
// - An offer that is not begun within Offers::kPatience is withdrawn by the next worker that takes the lock, and an
//   idle worker sleeps no longer than until then (Progress::withdraw_at). The policy is told that the worker left,
//   until its thread comes for the lock.
// - For pending tasks two idle workers are rung (ring_idle), so that either takes them up if the other does not run.
// - No step waits for a thread that may not run: there is no lock in either class, and a thread sleeps on a semaphore.
//
// Both classes take their atomics and the semaphore as a parameter: a test explores the interleavings of these steps
// (tests/runtime/wake_up_test.cpp).

/// A semaphore with a deadline on the steady clock; that of the standard library has had bugs there.
class Semaphore {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  Semaphore() { sem_init(&semaphore_, 0, 0); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void release() { sem_post(&semaphore_); }
  /// False at the deadline; nothing: there is none.
  bool acquire(std::optional<Instant> until) {
    int result = 0;
    do result = until ? acquire_until(*until) : sem_wait(&semaphore_);
    while (result != 0 && errno == EINTR);
    return result == 0;
  }

 private:
  int acquire_until(Instant until) {
    const auto since_start = until.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_start);
    const timespec time{static_cast<std::time_t>(seconds.count()),
                        static_cast<long>(std::chrono::nanoseconds(since_start - seconds).count())};
    return sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &time);
  }

  sem_t semaphore_;
};

/// What threads use.
struct ThreadSync {
  template <class T>
  using Atomic = std::atomic<T>;
  using Semaphore = runtime::Semaphore;
  using Clock = std::chrono::steady_clock;

  static constexpr int kSpins = 100;
  static void pause() { spin_pause(); }
};

/// A worker's bell, see above.
template <class Sync = ThreadSync>
class BasicBell {
 public:
  using Instant = typename Sync::Clock::time_point;

  // Any thread:
  /// There is an execution in the local batch.
  void call() { leave_news(kCalled); }
  /// The worker shall look around.
  void ring() { leave_news(kRung); }
  /// Whether the worker has nothing to do and no news.
  [[nodiscard]] bool is_idle() const {
    const std::uint32_t word = word_.load();
    return word == kLooking || word == kAsleep;
  }
  /// When it will look around by itself, where it is idle; the end of time: never.
  [[nodiscard]] Instant deadline() const {
    return Instant(typename Instant::duration(deadline_.load(std::memory_order_seq_cst)));
  }

  // The worker's thread:
  /// Returns when there is news, or at `deadline()`, which may be never (nothing). It is asked once, after the worker
  /// has become idle: what happened before another thread saw it as not idle is not missed. Whether it was rung.
  template <class Deadline>
  bool wait(Deadline&& deadline) {
    if (change_mode(kWorking, kLooking)) {
      const std::optional<Instant> until = deadline();
      if (until) deadline_.store(until->time_since_epoch().count(), std::memory_order_seq_cst);
      if (!until || Sync::Clock::now() < *until) {
        for (int tries = 0; tries < Sync::kSpins && !has_news(); ++tries) Sync::pause();
        if (change_mode(kLooking, kAsleep)) static_cast<void>(semaphore_.acquire(until));
      }
      deadline_.store(kNever, std::memory_order_relaxed);
    }
    return take_news();
  }
  /// The same, but the worker does not become idle, and sleeps at once.
  bool back_off(Instant until) {
    if (change_mode(kWorking, kBackedOff)) static_cast<void>(semaphore_.acquire(until));
    return take_news();
  }
  /// Goes on working. Whether it was rung.
  bool take_news() { return (word_.exchange(kWorking) & kRung) != 0; }

 private:
  // The word: a mode, and news.
  static constexpr std::uint32_t kWorking = 0;
  static constexpr std::uint32_t kLooking = 1;
  static constexpr std::uint32_t kAsleep = 2;
  static constexpr std::uint32_t kBackedOff = 3;
  static constexpr std::uint32_t kCalled = 4;
  static constexpr std::uint32_t kRung = 8;
  static constexpr std::uint32_t kNews = kCalled | kRung;

  static constexpr typename Instant::rep kNever = Instant::duration::max().count();

  [[nodiscard]] bool has_news() const { return (word_.load() & kNews) != 0; }
  /// Unless there is news.
  [[nodiscard]] bool change_mode(std::uint32_t from, std::uint32_t to) {
    return word_.compare_exchange_strong(from, to);
  }
  void leave_news(std::uint32_t news) {
    const std::uint32_t before = word_.fetch_or(news);
    // Where the thread reaches its deadline at that moment, its next sleep ends early: then it looks around in vain.
    if (before == kAsleep || before == kBackedOff) semaphore_.release();
  }
  typename Sync::template Atomic<std::uint32_t> word_{kWorking};
  typename Sync::template Atomic<typename Instant::rep> deadline_{kNever};
  typename Sync::Semaphore semaphore_;
};

using Bell = BasicBell<>;

/// So many idle workers are rung for pending tasks: one that the operating system does not run is not the only one.
inline constexpr int kRungForPending = 2;

/// Idle workers are to look at what is pending; those that are busy will when they have done what they do.
/// `bell_of(worker)`: its bell.
template <class Workers, class BellOf>
void ring_idle(const Workers& workers, BellOf&& bell_of) {
  int rung = 0;
  for (const auto& worker : workers) {
    auto& bell = bell_of(worker);
    if (!bell.is_idle()) continue;
    bell.ring();
    if (++rung == kRungForPending) return;
  }
}

}  // namespace heddle::runtime
