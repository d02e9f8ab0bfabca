#pragma once

#include <optional>

#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

/// The longest path when data takes time to move: the only bound that knows links.
///
/// A task that runs in a memory m ends no sooner than e(t, m): its duration on the fastest class there after
///  - the soonest end of each predecessor, wherever that ran, and,
///  - for each datum that it reads, the soonest end of the task that wrote it, in some memory m', and the quickest way
///    from m' to m; before any task wrote it, the quickest way from its home.
/// A way may lead through other memories, as copies for other tasks do; a copy over a link takes its time alone. The
/// bound is the largest over the tasks of min_m e(t, m). What the tasks of a group that commutes on a datum, or reduces
/// it, left must all have come to those that read it later.
///
/// The accesses must imply dependencies in the order of the tasks, as TaskGraphBuilder makes them. Nothing without
/// links, or with more than kMostLinkedMemories memories. Time O((tasks + edges) + accesses memories^2), and
/// memories^3 for each size of data.
[[nodiscard]] std::optional<Bound> linked_path_bound(const Instance& instance);
inline constexpr std::size_t kMostLinkedMemories = 64;

}  // namespace heddle::bounds
