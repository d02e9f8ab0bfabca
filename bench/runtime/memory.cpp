#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "own_process.hpp"
#include "parts.hpp"

namespace heddle::bench {
namespace {

constexpr std::size_t kWaiting = 200'000;

/// How much memory the process needs for each task that waits behind a first one, with this policy.
double bytes_per_task(const std::string& policy) {
  using namespace runtime;
  std::latch open(1);
  double gate = 0;
  std::vector<double> others(1000);
  Runtime system({.workers = "cpu=2", .policy = policy, .history = ""});
  const Kernel wait_for_gate("gate", on_cpu([&](double&) { open.wait(); }));
  const Kernel task("task", on_cpu([](const double&, double&) {}));
  const Data<double&> first = system.data(gate);
  std::vector<Data<double&>> data;
  for (double& one : others) data.push_back(system.data(one));
  system.submit(wait_for_gate, rw(first));
  const double before = resident();
  for (std::size_t i = 0; i < kWaiting; ++i) system.submit(task, read(first), rw(data[i % data.size()]));
  // What was submitted is taken up by and by, and that takes memory, too.
  double most = resident();
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    most = std::max(most, resident());
  }
  open.count_down();
  system.wait();
  return (most - before) / static_cast<double>(kWaiting);
}

}  // namespace

void measure_memory() {
  std::cout << fmt::format("\nMemory of {} tasks that wait: bytes per task\n", kWaiting);
  for (const std::string policy : {"heteroprio-dep", "dmdas", "eager", "lws"}) {
    in_own_process([&] { std::cout << fmt::format("heddle, {}: {:.0f}\n", policy, bytes_per_task(policy)); });
  }
}

}  // namespace heddle::bench
