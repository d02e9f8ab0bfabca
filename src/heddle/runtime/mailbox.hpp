#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "heddle/runtime/mutex.hpp"

namespace heddle::runtime {

/// Where a worker finds its next task: it spins for a few microseconds, then sleeps. Whoever puts something in wakes it
/// only if it sleeps.
template <class T>
class Mailbox {
 public:
  using Clock = std::chrono::steady_clock;

  /// The box must be empty.
  void put(T* item) {
    item_.store(item, std::memory_order_seq_cst);
    wake();
  }
  /// Lets the owner look around even though there is no item.
  void ring() {
    rung_.store(true, std::memory_order_seq_cst);
    wake();
  }
  /// Whether the owner is in take(), or about to be, and finds nothing there: it has nothing to do.
  [[nodiscard]] bool waits() const {
    return waits_.load(std::memory_order_seq_cst) && item_.load(std::memory_order_seq_cst) == nullptr;
  }

  /// When it will look around by itself, where waits(); the end of time: never.
  [[nodiscard]] typename Clock::time_point deadline() const {
    return typename Clock::time_point(typename Clock::duration(deadline_.load(std::memory_order_seq_cst)));
  }

  /// The item; null when the bell was rung, or at `deadline()`, which may be never. It is asked once, after waits() has
  /// become true: so what happened before somebody saw !waits() is not missed. An owner that is given an item may have
  /// been rung for, before or just now (was_rung()), and has to see to it that somebody else looks around.
  template <class Deadline>
  [[nodiscard]] T* take(Deadline&& deadline) {
    T* item = get();
    if (item == nullptr) {
      waits_.store(true, std::memory_order_seq_cst);
      const std::optional<typename Clock::time_point> until = deadline();
      if (until) deadline_.store(until->time_since_epoch().count(), std::memory_order_seq_cst);
      if (!until || Clock::now() < *until) {
        for (int tries = 0; tries < kSpins && !has_news(); ++tries) spin_pause();
        if (!has_news()) sleep(until);
      }
      waits_.store(false, std::memory_order_seq_cst);
      deadline_.store(kNever, std::memory_order_relaxed);
    }
    was_rung_ = rung_.exchange(false, std::memory_order_acq_rel);
    return item != nullptr ? item : get();
  }
  /// The same, without spinning; nobody is told that the owner waits.
  [[nodiscard]] T* doze(Clock::time_point until) {
    if (!has_news()) sleep(until);
    was_rung_ = rung_.exchange(false, std::memory_order_acq_rel);
    return get();
  }
  /// The owner: whether the bell was rung before the last take() or doze() returned.
  [[nodiscard]] bool was_rung() const { return was_rung_; }

 private:
  static constexpr int kSpins = 100;
  static constexpr typename Clock::rep kNever = Clock::duration::max().count();

  [[nodiscard]] T* get() {
    if (item_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return item_.exchange(nullptr, std::memory_order_acquire);
  }
  [[nodiscard]] bool has_news() const {
    return item_.load(std::memory_order_seq_cst) != nullptr || rung_.load(std::memory_order_seq_cst);
  }
  void sleep(std::optional<Clock::time_point> deadline) {
    std::unique_lock lock(mutex_);
    asleep_.store(true, std::memory_order_seq_cst);
    const auto awake = [this] { return has_news(); };
    if (deadline) {
      bell_.wait_until(lock, *deadline, awake);
    } else {
      bell_.wait(lock, awake);
    }
    asleep_.store(false, std::memory_order_relaxed);
  }
  void wake() {
    if (!asleep_.load(std::memory_order_seq_cst)) return;
    {
      const std::lock_guard lock(mutex_);
    }  // it sleeps, or sees the news; who is woken finds the mutex free
    bell_.notify_one();
  }

  std::atomic<T*> item_{nullptr};
  std::atomic<bool> rung_{false};
  std::atomic<bool> waits_{false};
  std::atomic<typename Clock::rep> deadline_{kNever};
  std::atomic<bool> asleep_{false};
  bool was_rung_ = false;
  std::mutex mutex_;
  std::condition_variable bell_;
};

}  // namespace heddle::runtime
