#pragma once

#include <utility>

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// Compares the acceleration factors of two tasks, duration on the first class over that on the second: positive when
/// a's is larger. What a class cannot run is as good as infinitely long.
[[nodiscard]] inline int compare_factors(const Costs& costs, TaskId a, TaskId b) {
  __extension__ using Exact = __int128;
  const auto ratio = [&costs](TaskId task) {
    const Time cpu = costs.estimate_row(task)[0];
    const Time gpu = costs.estimate_row(task)[1];
    if (cpu == gpu) return std::pair<Exact, Exact>(1, 1);
    if (cpu == kCannotRun) return std::pair<Exact, Exact>(1, 0);
    return gpu == kCannotRun ? std::pair<Exact, Exact>(0, 1) : std::pair<Exact, Exact>(cpu, gpu);
  };
  const auto [p, q] = ratio(a);
  const auto [r, s] = ratio(b);
  return p * s < r * q ? -1 : p * s > r * q ? 1 : 0;
}

}  // namespace heddle::test
