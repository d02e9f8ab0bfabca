#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "contender.hpp"
#include "heddle/runtime/runtime.hpp"
#include "own_process.hpp"
#include "parts.hpp"
#include "system.hpp"

namespace heddle::bench {
namespace {

using namespace runtime;

constexpr std::size_t kWave = 100'000;

/// Submits tasks that do nothing, one after the other.
class Pattern {
 public:
  Pattern(Runtime& system, const std::string& name)
      : system_(system), name_(name), values_(name == "chains" ? 64 : kSide * kSide * 3) {
    if (name == "independent") return;
    for (double& one : values_) data_.push_back(system.data(one));
  }

  void submit(std::size_t number) {
    if (name_ == "independent") {
      system_.submit(alone_, number);
    } else if (name_ == "chains") {
      system_.submit(link_, rw(data_[number % data_.size()]));
    } else {
      // The product of two matrices in tiles, again and again.
      const std::size_t i = number % kSide;
      const std::size_t j = number / kSide % kSide;
      const std::size_t k = number / (kSide * kSide) % kSide;
      system_.submit(product_, read(tile(0, i, k)), read(tile(1, k, j)), rw(tile(2, i, j)));
    }
  }

 private:
  static constexpr std::size_t kSide = 16;

  [[nodiscard]] const Data<double&>& tile(std::size_t matrix, std::size_t row, std::size_t column) const {
    return data_[(matrix * kSide + row) * kSide + column];
  }

  const Kernel<std::size_t> alone_{"alone", on_cpu([](std::size_t) {})};
  const Kernel<double&> link_{"link", on_cpu([](double&) {})};
  const Kernel<const double&, const double&, double&> product_{"product",
                                                               on_cpu([](const double&, const double&, double&) {})};
  Runtime& system_;
  const std::string name_;
  std::vector<double> values_;
  std::vector<Data<double&>> data_;
};

/// Who submits the tasks.
enum class By : std::uint8_t { program, program_that_waits, task };

std::string text_of(By by) {
  return by == By::program ? "does not wait" : by == By::task ? "by a task" : "waits";
}

/// Prints how long the tasks took, and what memory they needed besides.
void measure_pattern(const Settings& settings, const std::string& policy, const std::string& pattern, By by) {
  const std::size_t tasks = settings.tasks;
  const double most = in_own_process([&] {
    Runtime system({.workers = "cpu=2", .policy = policy, .history = ""});
    Pattern graph(system, pattern);
    const Stopwatch watch;
    const auto submit_all = [&] {
      for (std::size_t i = 0; i < tasks; ++i) {
        graph.submit(i);
        if (by == By::program_that_waits && i % kWave == kWave - 1) system.wait();
      }
    };
    if (by == By::task) {
      system.submit(Kernel("submit all", on_cpu(submit_all)));
    } else {
      submit_all();
    }
    system.wait();
    const double seconds = watch.seconds();
    std::cout << fmt::format("{:<12} {:<15} {:<14} {:6.2f} s, {:5.0f} ns per task, ", pattern, policy, text_of(by),
                             seconds, seconds * 1e9 / static_cast<double>(tasks));
  });
  const double before = in_own_process([] {});
  std::cout << fmt::format("{:6.0f} MB, {:.0f} bytes per task\n", most / 1e6,
                           std::max(most - before, 0.0) / static_cast<double>(tasks));
}

}  // namespace

void measure_waves(const Settings& settings) {
  std::cout << fmt::format("\n{} small tasks in waves of {}, one runtime of 2 workers: time, and most memory at once\n",
                           settings.tasks, kWave);
  for (const std::string policy : {"eager", "dmdas", "heteroprio-dep", "heft"}) {
    for (const std::string pattern : {"independent", "chains", "tiles"}) {
      for (const By by : {By::program, By::program_that_waits, By::task})
        measure_pattern(settings, policy, pattern, by);
    }
  }
}

}  // namespace heddle::bench
