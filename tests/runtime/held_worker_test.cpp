// A worker that the operating system does not run keeps no task from the others.
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

namespace heddle::runtime {
namespace {

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
  std::optional<HeldThread> held(threads.at(worker));
  for (const auto& one : data) runtime->submit(kShort, rw(one));
  const auto latest = Clock::now() + std::chrono::seconds(20);
  while (runtime->unfinished() > 0 && Clock::now() < latest) std::this_thread::sleep_for(std::chrono::microseconds(100));
  const bool ended = runtime->unfinished() == 0;
  held.reset();
  runtime->wait();
  for (const int value : values) EXPECT_EQ(value, 1);
  return ended;
}

TEST(HeldWorker, KeepsNoTaskFromTheOthersWhateverThePolicy) {
  for (const std::string& policy : runtime_policies()) {
    for (const std::size_t worker : {0U, 1U}) EXPECT_TRUE(ends_without(policy, worker)) << policy << ", " << worker;
  }
}

}  // namespace
}  // namespace heddle::runtime
