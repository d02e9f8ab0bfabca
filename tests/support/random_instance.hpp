#pragma once

#include <cstdint>
#include <random>

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// What random instances of a property test may look like.
struct RandomShape {
  std::size_t max_tasks = 30;
  std::size_t min_classes = 1;
  std::size_t max_classes = 3;
  std::uint32_t max_workers = 4;  ///< per class; at least one in all
  Time max_duration = 20;         ///< small numbers make ties and simultaneous events common
  bool zero_durations = true;
  bool unrunnable = true;        ///< some classes cannot run some tasks
  bool wrong_estimates = false;  ///< estimates that differ from the truth
  bool shared_types = true;      ///< tasks share types; otherwise every task has its own durations
  bool data = false;             ///< tasks access data, in all modes; some classes have memories of their own, some
                                 ///< memories a capacity; links, some of which share buses, join them
  std::int64_t max_data = 12;    ///< with `data`: how many there are; the fewer, the more happens to each
  bool any_home = false;         ///< with `data`: it is at home in any memory without a capacity, not only in ram
  bool limited = true;           ///< with `data`: some memories have a capacity
  bool write_back = false;       ///< with `data`: the final value of every second one is written back
  bool free_data = false;        ///< with `data`: it has no bytes, links no latency, memories no capacity
};

using Random = std::mt19937_64;

/// A number from low to high, both included.
[[nodiscard]] std::int64_t draw(Random& random, std::int64_t low, std::int64_t high);

/// A random graph on a random platform.
[[nodiscard]] Instance random_instance(Random& random, const RandomShape& shape = {});

/// The same instance on a platform without links.
[[nodiscard]] Instance unlinked(const Instance& instance);

}  // namespace heddle::test
