#include "heddle/runtime/submission/submission.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/models/variants.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/submission/task_type.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {
namespace {

/// One of those that the process may use.
void bind_to_one_core() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    static_cast<void>(sched_setaffinity(0, sizeof one, &one));
    return;
  }
}

/// Calls take() so many times while another thread on the same core submits in a loop: how often it submitted many
/// tasks during the call.
int count_long_takes(int rounds) {
  constexpr std::uint64_t kMany = 100;  // a time slice is enough for thousands
  const auto kernel = std::make_shared<KernelInfo>("nothing", std::vector<Implementation>(1));
  const auto bind = [&](TaskType& type) {
    type.variants.emplace_back(std::vector<Variant>{{&kernel->implementations.front()}});
  };
  Submission submission(bind, false, 1024);
  std::atomic<bool> stops = false;
  int long_ones = 0;
  std::jthread taker([&] {
    bind_to_one_core();
    std::vector<Node*> tasks;
    std::vector<TaskType*> types;
    std::vector<Node*> ended;
    for (int round = 0; round < rounds; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const std::uint64_t before = submission.submitted();
      tasks.clear();
      submission.take(tasks, types, ended);
      if (submission.submitted() - before > kMany) ++long_ones;
      ended = tasks;
      for (Node* node : ended) node->sequence = 0;
    }
    stops = true;
  });
  std::jthread submitter([&] {
    bind_to_one_core();
    while (!stops) {
      TaskOptions options;
      static_cast<void>(submission.submit(kernel, {}, {}, options));
    }
  });
  taker.join();
  submitter.join();
  return long_ones;
}

TEST(Submission, ThreadsThatSubmitInALoopDoNotKeepWorkersWaiting) {
  constexpr int kRounds = 100;
  EXPECT_LT(count_long_takes(kRounds), kRounds / 5);
}

}  // namespace
}  // namespace heddle::runtime
