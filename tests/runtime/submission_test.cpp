#include "heddle/runtime/submission/submission.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/models/variants.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/submission/task_type.hpp"
#include "heddle/runtime/task.hpp"
#include "heddle/runtime/threads/cores.hpp"

namespace heddle::runtime {
namespace {

/// Calls take() so many times while another thread on the same core submits in a loop: how often it submitted many
/// tasks during the call.
int count_long_takes(int rounds) {
  constexpr std::uint64_t kMany = 100;  // a time slice is enough for thousands
  const auto kernel = std::make_shared<KernelInfo>("nothing", std::vector<Implementation>(1));
  const auto bind = [&](TaskType& type) {
    type.variants.emplace_back(std::vector<Variant>{{&kernel->implementations.front()}});
  };
  Submission submission(bind, false, 1024);
  Cores cores;
  EXPECT_TRUE(cores.claim(1));
  std::jthread submitter([&](const std::stop_token& stop) {
    cores.bind_this_thread(0);
    while (!stop.stop_requested()) {
      TaskOptions options;
      static_cast<void>(submission.submit(kernel, {}, {}, options));
    }
  });
  int long_ones = 0;
  std::thread taker([&] {
    cores.bind_this_thread(0);
    std::vector<Node*> tasks;
    std::vector<TaskType*> types;
    std::vector<std::uint32_t> ended;
    for (int round = 0; round < rounds; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const std::uint64_t before = submission.submitted();
      tasks.clear();
      submission.take(tasks, types, ended);
      if (submission.submitted() - before > kMany) ++long_ones;
      for (Node* node : tasks) {
        node->sequence = 0;
        ended.push_back(node->number);
      }
    }
  });
  taker.join();
  return long_ones;
}

TEST(Submission, ThreadsThatSubmitInALoopDoNotKeepWorkersWaiting) {
  constexpr int kRounds = 100;
  EXPECT_LT(count_long_takes(kRounds), kRounds / 5);
}

}  // namespace
}  // namespace heddle::runtime
