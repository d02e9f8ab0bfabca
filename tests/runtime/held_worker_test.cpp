// A worker that the operating system does not run keeps no task from the others: its offer is withdrawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/held_thread.hpp"
#include "tests/runtime/step_through.hpp"

namespace heddle::runtime::held_worker_test {
namespace {

using testing::ElementsAre;

constexpr Time kFifty = 50 * kMicrosecond;

/// Whether the policy puts each task on a worker of its own choice and keeps an order there: such tasks stay.
bool pins(const std::string& policy) {
  const policy::Spec spec(policy);
  return spec.needs().lookahead || spec.make(1).keeps_order();
}

/// The worker executes all that it is given, and looks around when offers may have to be withdrawn, until nothing is
/// left; so often at most.
void execute_all(Stepper& run, std::size_t worker) {
  for (int i = 0; i < 100 && run.progress().unfinished() > 0; ++i) {
    if (!run.execute(worker, kFifty).empty()) continue;
    run.pass(Offers::kPatience);
    run.look_around(worker);
  }
}

TEST(HeldWorker, KeepsNoTaskFromTheOtherWhateverThePolicy) {
  for (const std::string& policy : runtime_specs()) {
    if (pins(policy)) continue;
    for (const std::size_t held : {0U, 1U}) {
      SCOPED_TRACE(policy + ", " + std::to_string(held));
      const std::size_t other = 1 - held;
      Stepper run({.workers = "cpu=2", .policy = policy});
      run.submit_many(kEmpty, 20);
      run.look_around(other);
      execute_all(run, other);
      ASSERT_EQ(run.progress().unfinished(), 0U);
      run.submit_many(kEmpty, 5);
      run.look_around(other);
      execute_all(run, other);
      ASSERT_EQ(run.progress().unfinished(), 0U);
      // It runs again.
      EXPECT_EQ(run.begin(held), 0U);
      run.look_around(held);
      run.submit_many(kEmpty, 8);
      for (int i = 0; i < 20 && run.progress().unfinished() > 0; ++i) {
        run.look_around(0), run.execute(0, kFifty);
        run.look_around(1), run.execute(1, kFifty);
      }
      ASSERT_EQ(run.progress().unfinished(), 0U);
    }
  }
}

TEST(HeldWorker, HasLeftForThePolicyUntilItRuns) {
  constexpr Time kEach = Offers::kPatience / 2;
  ToldEager told;
  Stepper& run = told.run;
  learn_duration(run, kEach);
  static_cast<void>(told.take_log());
  run.submit_many(kEmpty, 3);
  run.look_around(0);
  EXPECT_THAT(told.take_log(),
              ElementsAre("start 3", "ready 0", "ready 1", "ready 2", "started 0 on 0", "started 1 on 1"));
  EXPECT_EQ(run.execute(0, kEach), Tasks{9});
  EXPECT_THAT(told.take_log(), ElementsAre("finished 0 on 0", "started 2 on 0")) << "it may be about to begin";
  EXPECT_EQ(run.execute(0, kEach), Tasks{11});
  EXPECT_THAT(told.take_log(),
              ElementsAre("finished 2 on 0", "aborted 1 on 1", "workers 1", "ready 1", "started 1 on 0"));
  EXPECT_EQ(run.begin(1), 0U) << "the other one has it";
  run.submit_many(kEmpty, 3);
  EXPECT_EQ(run.execute(0, kEach), Tasks{10});
  EXPECT_THAT(told.take_log(),
              ElementsAre("finished 1 on 0", "start 3", "workers 1", "ready 0", "ready 1", "ready 2", "started 0 on 0"))
      << "a policy that begins is told, too";
  run.look_around(1);
  EXPECT_THAT(told.take_log(), ElementsAre("workers 2", "started 1 on 1"));
  EXPECT_EQ(run.begin(0), 12U);
  EXPECT_EQ(run.begin(1), 13U);
  run.pass(kSecond);
  run.end(0);
  EXPECT_THAT(told.take_log(), ElementsAre("finished 0 on 0", "started 2 on 0")) << "what is begun is not withdrawn";
}

/// So that the order of the policy is kept.
TEST(HeldWorker, KeepsWhatAPolicyHasPinned) {
  Stepper run({.workers = "cpu=2", .policy = "heft"});
  run.submit_many(kEmpty, 4);
  run.look_around(0);
  while (!run.execute(0, kBelieved).empty()) continue;
  run.pass(kSecond);
  run.look_around(0);
  EXPECT_EQ(run.progress().withdraw_at, kMaxTime);
  EXPECT_EQ(run.progress().unfinished(), 2U);
  EXPECT_THAT(run.execute(1, kBelieved), testing::SizeIs(1)) << "the offer that stayed";
}

/// Before it is done, an idle worker is to look.
TEST(HeldWorker, IsWatchedWhileTheOthersAreBusy) {
  Stepper run({.workers = "cpu=3", .policy = "eager"});
  run.submit_many(kEmpty, 2);
  run.look_around(0);
  EXPECT_EQ(run.begin(0), 1U);
  EXPECT_TRUE(run.woke());
  EXPECT_EQ(run.progress().withdraw_at, run.now() + Offers::kPatience);
  run.pass(Offers::kPatience);
  run.look_around(2);
  EXPECT_EQ(run.begin(2), 2U);
  EXPECT_EQ(run.begin(1), 0U);
  EXPECT_EQ(run.progress().withdraw_at, kMaxTime);
}

TEST(HeldWorker, HasNoZombieIfThePolicyAbortsItsOffer) {
  OrderedRun ordered;
  Stepper& run = ordered.run;
  run.submit(kEmpty);
  ordered.order({policy::run(TaskId{0}, kWorker1)});
  run.look_around(0);
  ordered.order({policy::restart(TaskId{0}, kWorker0)});
  run.look_around(0);
  EXPECT_EQ(run.scheduler().zombies(), 0U);
  EXPECT_EQ(run.begin(1), 0U);
  EXPECT_EQ(run.execute(0, kFifty), Tasks{1});
  EXPECT_EQ(run.progress().unfinished(), 0U);
}

using Clock = std::chrono::steady_clock;

const Kernel kShort("short", on_cpu([](int& x) {
                      const auto end = Clock::now() + std::chrono::microseconds(50);
                      while (Clock::now() < end) continue;
                      ++x;
                    }));

/// The threads of the workers of the runtime that `make` makes, all of which sleep.
template <class Make>
std::vector<pid_t> started_by(Make&& make) {
  const std::vector<pid_t> before = threads_of_process();
  make();
  std::vector<pid_t> started;
  std::ranges::set_difference(threads_of_process(), before, std::back_inserter(started));
  for (const pid_t thread : started) await_sleep(thread);
  return started;
}

/// Whether all ends while the worker is held.
bool ends_without(const std::string& policy, std::size_t worker) {
  std::vector<int> values(20, 0);
  std::optional<Runtime> runtime;
  const std::vector<pid_t> threads =
      started_by([&] { runtime.emplace(Config{.workers = "cpu=2", .policy = policy, .history = ""}); });
  std::vector<Data<int&>> data;
  for (int& value : values) data.push_back(runtime->data(value));
  const auto submit_all = [&] {
    for (const auto& one : data) runtime->submit(kShort, rw(one));
  };
  const Graph graph = runtime->record(submit_all);
  const auto latest = Clock::now() + std::chrono::seconds(20);
  const auto end_all = [&] {
    while (runtime->unfinished() > 0 && Clock::now() < latest)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    return runtime->unfinished() == 0;
  };
  bool ended = true;
  {
    const HeldThread held(threads.at(worker));
    submit_all();
    ended = end_all();
    runtime->run(graph);
    ended = end_all() && ended;
  }
  runtime->wait();
  for (const int value : values) EXPECT_EQ(value, 2);
  return ended;
}

TEST(HeldWorker, KeepsNoTaskFromTheOtherThread) {
  for (const std::string& policy : runtime_policies()) {
    if (pins(policy)) continue;
    for (const std::size_t worker : {0U, 1U}) EXPECT_TRUE(ends_without(policy, worker)) << policy << ", " << worker;
  }
}

}  // namespace
}  // namespace heddle::runtime::held_worker_test
