// The wake-up protocol in all interleavings of its steps, for a few workers and tasks: the bell and the local batch are
// those of the runtime; what is done under the engine's lock is reduced to what concerns them.
#include "heddle/runtime/threads/wake_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/runtime/threads/local_batch.hpp"
#include "tests/runtime/explorer.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {
namespace {

using Instant = explored::Clock::time_point;

constexpr std::int64_t kNever = 1'000'000;
constexpr std::int64_t kPatience = 1;  // with an offer

struct ModelTask {
  int executed = 0;
  std::int64_t offered = 0;
};

/// A runtime: workers that serve; a scheduler that gives tasks to the worker that has the lock, then to idle ones, then
/// more to the worker that has the lock; and a program that submits tasks.
template <class Sync>
class Model : public Explorer::Scenario {
 public:
  /// `most_in_batch`: so many tasks at once beside the first. `is_prompt`: no task waits for a deadline.
  Model(std::size_t workers, std::size_t tasks, std::size_t most_in_batch, bool is_prompt)
      : tasks_(tasks), most_in_batch_(most_in_batch), is_prompt_(is_prompt) {
    for (std::size_t i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>());
    for (const auto& worker : workers_) Explorer::current().add_thread([this, &worker] { serve(*worker); });
    Explorer::current().add_thread([this] { submit_all(); });
  }

  void on_quiet() override {
    for (const ModelTask& task : tasks_) check(task.executed == 1, "a task is left lying while all that run sleep");
    stopping_ = true;
    for (const auto& worker : workers_) worker->bell.ring();
  }
  void on_end() override {
    for (const ModelTask& task : tasks_) check(task.executed == 1, "a task was executed more than once");
  }

 private:
  struct Worker {
    BasicBell<Sync> bell;
    BasicLocalBatch<ModelTask, Sync> batch;
    ModelTask* next = nullptr;  // its thread's own
    // Under the lock:
    std::vector<ModelTask*> given;
    std::int64_t offered = kNever;
    bool away = false;

    [[nodiscard]] bool is_idle() const { return given.empty() && !away; }
  };

  static void check(bool holds, const std::string& why) {
    if (!holds) Explorer::current().fail(why);
  }
  [[nodiscard]] static std::int64_t now() { return Explorer::current().now(); }
  [[nodiscard]] static Instant instant(std::int64_t time) { return Instant(Instant::duration(time)); }

  void submit_all() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (pending_.fetch_add(1) == 0) wake_for_pending();
    }
  }
  void wake_for_pending() {
    ring_idle(workers_, [](const auto& worker) -> auto& { return worker->bell; });
  }
  void pass_on_pending(std::int64_t own) {
    const std::int64_t withdraw = withdraw_at_.load();
    const std::int64_t at = pending_.load() > 0 ? now() : withdraw < own ? withdraw : kNever;
    if (at == kNever) return;
    const auto will_look = [&](const auto& worker) {
      return worker->bell.is_idle() && worker->bell.deadline() <= instant(std::max(at, now()));
    };
    if (std::ranges::none_of(workers_, will_look)) wake_for_pending();
  }

  // What a worker's thread does, as in Engine. The system may not run it while it has begun no task.
  void serve(Worker& self) {
    while (!stopping_) {
      ModelTask* task = std::exchange(self.next, nullptr);
      if (task == nullptr) task = await_task(self);
      std::size_t executed = 0;
      for (; task != nullptr; task = self.batch.begin()) {
        ++task->executed;
        check(!is_prompt_ || now() == 0, "a task was begun only when a deadline had passed");
        ++executed;
      }
      update(self, executed);
      if (executed == 0 && self.next != nullptr) pass_on_pending(kNever);
    }
  }
  ModelTask* await_task(Worker& self) {
    if (ModelTask* task = self.batch.begin()) return received(task, self.bell.take_news());
    Explorer::current().set_holdable(true);
    const bool was_rung = self.bell.wait([this]() -> std::optional<Instant> {
      if (stopping_ || pending_.load() > 0) return instant(0);
      const std::int64_t at = withdraw_at_.load();
      return at != kNever ? std::optional(instant(at)) : std::nullopt;
    });
    Explorer::current().set_holdable(false);
    return received(self.batch.begin(), was_rung);
  }
  ModelTask* received(ModelTask* task, bool was_rung) {
    if (task == nullptr) return nullptr;
    if (was_rung) wake_for_pending();
    pass_on_pending(task->offered + kPatience);
    return task;
  }

  // What it does under the lock, as Scheduler.
  void update(Worker& self, std::size_t executed) {
    bool wakes = false;
    {
      const std::lock_guard lock(lock_);
      self.away = false;
      if (executed > 0) forget_offer(self);
      check(executed <= self.given.size(), "a task was begun that others had withdrawn");
      if (executed > self.given.size()) return;
      self.given.erase(self.given.begin(), self.given.begin() + static_cast<std::ptrdiff_t>(executed));
      if (now() >= withdraw_at_.load()) withdraw_offers(self);
      for (int taken = pending_.exchange(0); taken > 0; --taken) ready_.push_back(&tasks_[taken_up_++]);
      do give_all(self);
      while (self.is_idle() && empty_batches(self));
      const auto is_idle = [](const auto& worker) { return worker->is_idle(); };
      wakes = self.next != nullptr && withdraw_at_.load() != kNever && std::ranges::any_of(workers_, is_idle);
    }
    if (wakes) pass_on_pending(kNever);
  }
  void give_all(Worker& self) {
    const auto is_idle = [](const auto& worker) { return worker->is_idle(); };
    while (!ready_.empty()) {
      const auto idle = std::ranges::find_if(workers_, is_idle);
      if (self.is_idle()) {
        self.given.push_back(take_ready());
        self.next = self.given.back();
      } else if (idle != workers_.end()) {
        offer(**idle);
      } else if (self.next != nullptr && self.given.size() <= most_in_batch_) {
        self.given.push_back(take_ready());
        self.batch.offer(*self.given.back());
      } else {
        return;
      }
    }
  }
  ModelTask* take_ready() {
    ModelTask* task = ready_.front();
    ready_.erase(ready_.begin());
    return task;
  }
  void offer(Worker& worker) {
    worker.given.push_back(take_ready());
    worker.given.back()->offered = worker.offered = now();
    worker.batch.offer(*worker.given.back());
    worker.bell.call();
    withdraw_at_.store(std::min(withdraw_at_.load(), now() + kPatience));
  }
  void forget_offer(Worker& worker) {
    worker.offered = kNever;
    if (std::ranges::all_of(workers_, [](const auto& one) { return one->offered == kNever; }))
      withdraw_at_.store(kNever);
  }
  void withdraw_offers(const Worker& self) {
    std::int64_t next = kNever;
    for (const auto& worker : workers_) {
      if (worker->offered == kNever) continue;
      const std::int64_t due = worker->offered + kPatience;
      if (worker->batch.empty()) {
        worker->offered = kNever;
      } else if (due > now() || worker.get() == &self) {
        next = std::min(next, due > now() ? due : now() + kPatience);
      } else {
        worker->offered = kNever;
        worker->away = withdraw(*worker);
      }
    }
    withdraw_at_.store(next);
  }
  /// What the worker has not begun. Whether there was anything.
  bool withdraw(Worker& worker) {
    const std::uint32_t taken = worker.batch.withdraw(static_cast<std::uint32_t>(worker.given.size()));
    check(taken <= worker.given.size(), "a task was withdrawn that was begun");
    if (taken > worker.given.size()) return false;
    ready_.insert(ready_.end(), worker.given.end() - static_cast<std::ptrdiff_t>(taken), worker.given.end());
    worker.given.resize(worker.given.size() - taken);
    return taken > 0;
  }
  bool empty_batches(const Worker& self) {
    bool some = false;
    for (const auto& worker : workers_) {
      if (worker.get() == &self || worker->offered != kNever) continue;
      some = withdraw(*worker) || some;
    }
    return some;
  }

  std::vector<ModelTask> tasks_;
  const std::size_t most_in_batch_;
  const bool is_prompt_;
  std::vector<std::unique_ptr<Worker>> workers_;
  typename Sync::template Atomic<int> pending_{0};
  typename Sync::template Atomic<std::int64_t> withdraw_at_{kNever};
  bool stopping_ = false;  // set while all sleep
  explored::Lock lock_;
  std::size_t taken_up_ = 0;
  std::vector<ModelTask*> ready_;
};

/// The failure of a run, or nothing; all runs within the bounds are tried.
template <class Sync = explored::Sync>
std::string failure_of(const Explorer::Bounds& bounds, std::size_t workers, std::size_t tasks,
                       std::size_t most_in_batch = 0) {
  const Explorer::Result result = Explorer::explore(bounds, [&] {
    return std::make_unique<Model<Sync>>(workers, tasks, most_in_batch, bounds.holds + bounds.ticks == 0);
  });
  EXPECT_LT(result.runs, bounds.runs) << "some were not tried";
  return result.failure;
}

/// Sanitizers need no more to see all of the code.
constexpr int kPreemptions = test::kSanitized ? 1 : 2;

TEST(WakeUp, NoTaskIsLeftLying) {
  EXPECT_EQ(failure_of({.preemptions = kPreemptions}, 2, 2), "");
}

TEST(WakeUp, NoTaskIsLeftLyingInALocalBatch) {
  EXPECT_EQ(failure_of({.preemptions = kPreemptions}, 2, 3, 2), "");
  EXPECT_EQ(failure_of({.preemptions = 1}, 2, 5, 2), "");
}

/// Any of them, wherever it looks for a task or sleeps.
TEST(WakeUp, AWorkerThatDoesNotRunKeepsNoTaskFromTheOthers) {
  EXPECT_EQ(failure_of({.preemptions = kPreemptions - 1, .holds = 1}, 2, 2), "");
  EXPECT_EQ(failure_of({.preemptions = 0, .ticks = 1, .holds = 1}, 2, 2), "");
  if constexpr (test::kSanitized) return;
  EXPECT_EQ(failure_of({.preemptions = 0, .holds = 1}, 3, 3), "");
}

/// What a faulty transition comes to.
template <class T>
struct BlindAtomic : explored::Atomic<T> {
  using explored::Atomic<T>::Atomic;
  bool compare_exchange_strong(T&, T desired) {
    this->store(desired);
    return true;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
    return compare_exchange_strong(expected, desired);
  }
};

/// Changes of a word of that type do not look what it was.
template <class Word>
struct BlindSync : explored::Sync {
  template <class T>
  using Atomic = std::conditional_t<std::is_same_v<T, Word>, BlindAtomic<T>, explored::Atomic<T>>;
};

struct MuteSync : explored::Sync {
  struct Semaphore : explored::Semaphore {
    static void release() {}
  };
};

TEST(WakeUp, TheExplorerFindsFaults) {
  EXPECT_NE(failure_of<BlindSync<std::uint32_t>>({}, 2, 2), "") << "the bell";
  EXPECT_NE(failure_of<BlindSync<std::uint64_t>>({}, 2, 4, 2), "") << "the local batch";
  EXPECT_NE(failure_of<MuteSync>({}, 2, 2), "") << "the semaphore";
}

/// It is woken at once, and by a ring, too.
TEST(WakeUp, AWorkerThatBacksOffIsWoken) {
  struct BackedOff : Explorer::Scenario {
    explicit BackedOff(bool rings) {
      Explorer::current().add_thread([this, rings] {
        while (task == nullptr && !was_rung) {
          was_rung = bell.back_off(Instant(Instant::duration(Explorer::current().now() + 10)));
          task = batch.begin();
        }
        if (Explorer::current().now() > 0) Explorer::current().fail("it slept on");
        if (was_rung != rings) Explorer::current().fail("it does not know what it was woken for");
      });
      Explorer::current().add_thread([this, rings] {
        if (rings) return bell.ring();
        batch.offer(offered);
        bell.call();
      });
    }
    void on_quiet() override {}
    void on_end() override {}

    ModelTask offered;
    ModelTask* task = nullptr;
    bool was_rung = false;
    BasicBell<explored::Sync> bell;
    BasicLocalBatch<ModelTask, explored::Sync> batch;
  };
  for (const bool rings : {false, true}) {
    const auto make = [&] { return std::make_unique<BackedOff>(rings); };
    EXPECT_EQ(Explorer::explore({.preemptions = 4}, make).failure, "") << rings;
  }
}

}  // namespace
}  // namespace heddle::runtime
