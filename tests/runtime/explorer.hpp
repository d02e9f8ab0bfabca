#pragma once

#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::runtime {

/// Explores what a few threads do in every order of their steps, up to some bounds: a small model checker. The threads
/// are coroutines on one thread of the system. A step is an operation on an atomic or a semaphore of explored::Sync,
/// or on an explored::Lock; between steps the explorer may go on with another thread. It runs a scenario again and
/// again and takes another way each time, depth first, until all ways were taken. Memory is sequentially consistent.
/// Time is a counter that stands still, unless all threads sleep or the explorer lets it pass.
class Explorer {
 public:
  /// How much of it may happen in a run.
  struct Bounds {
    int preemptions = 2;  ///< another thread goes on though the one that runs could
    int ticks = 0;        ///< time passes though a thread could go on
    int holds = 0;  ///< a thread does not run any more until all others sleep, where it may be held (set_holdable)
    std::uint64_t runs = 500'000;
  };
  struct Result {
    std::string failure;     ///< of the first run that fails; empty: none
    std::uint64_t runs = 0;  ///< different ways that were taken
  };
  /// A scenario makes its threads in the constructor.
  struct Scenario {
    virtual ~Scenario() = default;
    /// All threads that are not held sleep, without deadline: lets them end. Once in a run.
    virtual void on_quiet() = 0;
    /// All threads have ended.
    virtual void on_end() = 0;
  };
  using Make = std::function<std::unique_ptr<Scenario>()>;

  /// All runs, up to the first that fails.
  [[nodiscard]] static Result explore(const Bounds& bounds, const Make& make);

  // For scenarios, and the types below:
  [[nodiscard]] static Explorer& current() { return *running_explorer; }
  void add_thread(std::function<void()> body);
  /// The run has failed; the first failure is kept.
  void fail(const std::string& why);
  /// Whether the running thread may be held at its next steps.
  void set_holdable(bool holdable);
  [[nodiscard]] std::int64_t now() const { return now_; }
  /// The running thread is about to do its next step.
  void step();
  /// The running thread sleeps until wake(), or the deadline: then false. Returns its number to `sleeper` before.
  bool sleep(std::vector<std::size_t>& sleepers, std::optional<std::int64_t> until);
  void wake(std::size_t thread);

 private:
  static constexpr std::size_t kStack = 64 * 1024;
  static constexpr std::size_t kMostSteps = 5'000;

  struct Thread {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    std::function<void()> body;
    enum class State : std::uint8_t { ready, asleep, ended } state = State::ready;
    std::optional<std::int64_t> until;
    bool was_woken = false;
    bool holdable = false;
    bool held = false;
  };

  explicit Explorer(const Bounds& bounds) : bounds_(bounds) {}
  [[nodiscard]] bool run(const Make& make);
  [[nodiscard]] bool next_way();
  [[nodiscard]] std::size_t choose(std::size_t count);
  [[nodiscard]] bool can_run(std::size_t thread) const;
  [[nodiscard]] std::vector<std::size_t> others() const;
  void let_time_pass(std::int64_t until);
  [[nodiscard]] bool skip_time();
  void resume(std::size_t thread);
  void yield();
  static void enter(unsigned thread);

  static thread_local Explorer* running_explorer;

  struct Choice {
    std::size_t taken;
    std::size_t count;
  };

  const Bounds bounds_;
  std::vector<Choice> way_;
  std::vector<std::unique_ptr<char[]>> stacks_;  ///< only to save allocations
  // Of one run:
  std::size_t choices_ = 0;
  std::size_t steps_ = 0;
  Bounds left_;
  std::int64_t now_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::optional<std::size_t> running_;
  std::optional<std::size_t> next_;
  ucontext_t main_{};
  std::string failure_;
};

namespace explored {

template <class T>
class Atomic {
 public:
  Atomic(T value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  T load(std::memory_order = {}) const {
    Explorer::current().step();
    return value_;
  }
  void store(T value, std::memory_order = {}) {
    Explorer::current().step();
    value_ = value;
  }
  T exchange(T value, std::memory_order = {}) {
    Explorer::current().step();
    return std::exchange(value_, value);
  }
  T fetch_or(T bits) {
    Explorer::current().step();
    return std::exchange(value_, value_ | bits);
  }
  T fetch_add(T more) {
    Explorer::current().step();
    return std::exchange(value_, value_ + more);
  }
  bool compare_exchange_strong(T& expected, T desired) {
    Explorer::current().step();
    if (value_ == expected) {
      value_ = desired;
      return true;
    }
    expected = value_;
    return false;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
    return compare_exchange_strong(expected, desired);
  }

 private:
  T value_;
};

struct Clock {
  // As the standard library names them.
  // NOLINTBEGIN(readability-identifier-naming)
  using duration = std::chrono::duration<std::int64_t>;
  using time_point = std::chrono::time_point<Clock, duration>;
  // NOLINTEND(readability-identifier-naming)
  static time_point now() { return time_point(duration(Explorer::current().now())); }
};

class Semaphore {
 public:
  void release() {
    Explorer::current().step();
    ++value_;
    if (sleepers_.empty()) return;
    Explorer::current().wake(sleepers_.front());
    sleepers_.erase(sleepers_.begin());
  }
  bool acquire(std::optional<Clock::time_point> until) {
    Explorer& explorer = Explorer::current();
    explorer.step();
    std::optional<std::int64_t> time;
    if (until) time = until->time_since_epoch().count();
    while (value_ == 0) {
      if (!explorer.sleep(sleepers_, time)) return false;
    }
    --value_;
    return true;
  }

 private:
  int value_ = 0;
  std::vector<std::size_t> sleepers_;
};

/// Of which a step is to take it.
class Lock {
 public:
  void lock() {
    Explorer::current().step();
    while (taken_) static_cast<void>(Explorer::current().sleep(sleepers_, std::nullopt));
    taken_ = true;
  }
  void unlock() {
    taken_ = false;
    for (const std::size_t sleeper : std::exchange(sleepers_, {})) Explorer::current().wake(sleeper);
  }

 private:
  bool taken_ = false;
  std::vector<std::size_t> sleepers_;
};

/// For BasicBell and BasicLocalBatch.
struct Sync {
  template <class T>
  using Atomic = explored::Atomic<T>;
  using Semaphore = explored::Semaphore;
  using Clock = explored::Clock;

  static constexpr int kSpins = 1;
  static void pause() {}
};

}  // namespace explored

}  // namespace heddle::runtime
