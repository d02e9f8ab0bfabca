#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <span>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "parts.hpp"

namespace heddle::bench {

void measure_shapes() {
  using Clock = std::chrono::steady_clock;
  using namespace runtime;
  constexpr std::size_t kShapes = 10'000;
  constexpr std::size_t kStep = 1'000;
  std::vector<double> memory(kShapes);
  const Kernel touch("touch", on_cpu([](std::span<double> x) { x[0] += 1; }));
  Runtime runtime({.workers = "cpu=2", .history = ""});
  std::cout << "\nA task for each of many shapes of data, one after the other: microseconds per task\n";
  for (std::size_t first = 0; first < kShapes; first += kStep) {
    const Clock::time_point begin = Clock::now();
    for (std::size_t size = first + 1; size <= first + kStep; ++size) {
      const auto data = runtime.data(std::span(memory).first(size));
      runtime.submit(touch, rw(data)).wait();
    }
    const double microseconds = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    std::cout << fmt::format("  shapes {:5} to {:5}: {:.1f}\n", first + 1, first + kStep, microseconds / kStep);
  }
}

}  // namespace heddle::bench
