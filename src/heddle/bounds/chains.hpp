#pragma once

#include <span>
#include <vector>

#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

/// A type all of whose tasks, at least two, lie on one path.
struct Chain {
  TypeId type{};
  /// The longest path through them, when the other tasks take their fastest durations, ...
  std::vector<TaskId> path;
  /// ... and what these others take.
  Time others = 0;
};

/// The chains of an instance, by type. Time O(tasks + edges) for each type that may be one.
[[nodiscard]] std::vector<Chain> find_chains(const Instance& instance);

/// The area bound with one more constraint per chain: its tasks' durations, as the solution shares them out, and those
/// of the others on its path follow each other. A linear program, one set of variables per distinct cost row and chain.
[[nodiscard]] Bound chained_bound(const Instance& instance, std::span<const Chain> chains);

/// The mixed bound, the chains being at hand.
[[nodiscard]] std::optional<Bound> mixed_bound(const Instance& instance, std::span<const Chain> chains);

}  // namespace heddle::bounds
