// The scheduler without the engine's threads: what they tell it is told here step by step, so that nothing depends on
// when they meet.
#include "heddle/runtime/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>
#include <vector>

#include "heddle/runtime/workers.hpp"
#include "tests/runtime/dealer.hpp"

namespace heddle::runtime {
namespace {

constexpr Time kTask = kMicrosecond / 2;

/// A scheduler of two cores and tasks of half a microsecond without data.
class TwoCores {
 public:
  explicit TwoCores(policy::Policy policy)
      : scheduler_({.decider = std::move(policy), .history = ""}, platform_, clock_, submission_, workers_, ended_,
                   links_, std::nullopt) {}

  void submit(int tasks) {
    for (int i = 0; i < tasks; ++i) {
      TaskOptions options;
      static_cast<void>(submission_.submit(kernel_.info(), {}, {}, options));
    }
  }
  void look_around(std::size_t worker) { scheduler_.look_around(make_id<WorkerId>(worker)); }
  /// The worker executes what it was handed and tells of it, for which it waits so long: how many tasks.
  int execute(std::size_t worker, Time waited = 0) {
    Worker& self = *workers_[worker];
    Attempt* attempt = std::exchange(self.next, nullptr);
    if (attempt == nullptr) attempt = self.hand.begin();
    if (attempt == nullptr)
      attempt = self.mailbox.take([] { return std::optional(RunClock::Clock::time_point::min()); });
    if (attempt == nullptr) return 0;
    const Time began = attempt->started;
    int executed = 0;
    for (; attempt != nullptr; attempt = self.hand.begin(), ++executed) {
      attempt->started = std::max(attempt->started, self.last_ended);
      attempt->ended = self.last_ended = attempt->started + kTask;
    }
    rest_[worker] = scheduler_.attempts_ended(make_id<WorkerId>(worker), began, self.last_ended, waited);
    return executed;
  }
  /// For how long the worker was to rest when it told of tasks last.
  [[nodiscard]] Time rest(std::size_t worker) const { return rest_[worker]; }
  [[nodiscard]] std::uint64_t unfinished() const { return scheduler_.unfinished(); }

 private:
  const Kernel<> kernel_{"nothing", on_cpu([] {})};
  const RunClock clock_;
  const Platform platform_ = platform_of(parse_workers("cpu=2", 2));
  Submission submission_{[this](TaskType& type) {
                           type.variants.resize(platform_.class_count());
                           type.variants[0] = Variants({{&type.kernel->implementations.front()}});
                         },
                         false};
  std::vector<std::unique_ptr<Worker>> workers_ = [this] {
    std::vector<std::unique_ptr<Worker>> two;
    for (const WorkerId id : platform_.workers()) two.push_back(std::make_unique<Worker>(id, ClassId{}, kHost));
    return two;
  }();
  std::condition_variable_any ended_;
  Links links_{{}, {}, std::nullopt};
  Scheduler scheduler_;
  std::vector<Time> rest_ = {0, 0};
};

TEST(Scheduler, OthersDoTheShortTasksOfAWorkerThatRests) {
  constexpr Time kLong = 100 * kTask * Worker::kHandful;
  const auto seen = std::make_shared<Dealer::Seen>();
  TwoCores cores{policy::Policy(Dealer(seen))};
  cores.submit(8);  // that the durations are known
  cores.look_around(0);
  while (cores.unfinished() > 0) EXPECT_GT(cores.execute(0) + cores.execute(1), 0);

  constexpr int kTasks = 400;
  cores.submit(kTasks);
  cores.look_around(0);
  int done = 0;
  for (std::uint32_t times = 0; times < Worker::kPatience; ++times) {
    EXPECT_EQ(cores.rest(1), 0) << times;
    const int now = cores.execute(1, kLong);
    EXPECT_GT(now, 0);
    done += now;
  }
  EXPECT_EQ(cores.rest(1), Worker::kRest);
  EXPECT_EQ(cores.execute(1), 0);

  // The other one does its own half, then what is left of the half of the one that rests.
  int others = 0;
  while (cores.unfinished() > 0) {
    const int now = cores.execute(0);
    ASSERT_GT(now, 0);
    EXPECT_EQ(seen->departures, others + now < kTasks / 2 ? 0 : 1);
    others += now;
  }
  EXPECT_EQ(done + others, kTasks);
  EXPECT_EQ(seen->returns, 0);

  cores.look_around(1);  // its rest is over
  EXPECT_EQ(seen->returns, 1);
  cores.submit(2);
  cores.look_around(0);
  EXPECT_EQ(cores.execute(0), 1);
  EXPECT_EQ(cores.execute(1), 1);
  EXPECT_EQ(cores.unfinished(), 0U);
  EXPECT_EQ(seen->departures, 1);
}

}  // namespace
}  // namespace heddle::runtime
