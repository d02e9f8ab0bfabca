#pragma once

#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// One task per pair of CPU and GPU duration, no edges.
[[nodiscard]] Instance independent(const std::vector<std::pair<Time, Time>>& durations, std::uint32_t cpus,
                                   std::uint32_t gpus);

/// What random independent tasks may look like; both classes run all of them, and no duration is 0.
struct IndependentShape {
  std::size_t max_tasks = 30;
  std::uint32_t max_workers = 4;  ///< per class
  Time max_duration = 20;
};
[[nodiscard]] Instance random_independent(Random& random, const IndependentShape& shape = {});

}  // namespace heddle::test
