#pragma once

#include <vector>

#include "heddle/model/countdown.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::bounds {

/// A type all of whose tasks, at least two, lie on one path.
struct Chain {
  TypeId type{};
  /// The longest path through them, when the other tasks take their fastest durations, ...
  std::vector<TaskId> path;
  /// ... and what these others take.
  Time others = 0;
};

/// The chains of an instance, by type; of very many types those of the first. Time O(tasks + edges) for each type that
/// may be one, within limits that depend on the instance only, and until the countdown is over: fewer chains make a
/// weaker bound, not a wrong one.
[[nodiscard]] std::vector<Chain> find_chains(const Instance& instance, const Countdown& countdown = Countdown());

}  // namespace heddle::bounds
