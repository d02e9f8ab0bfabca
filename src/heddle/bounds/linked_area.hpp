#pragma once

#include <optional>

#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

/// The area bound with the bytes that must cross links whatever the allocation.
///
/// Let h be a memory that is the home of data, with L links that leave it. A datum whose first value some task reads
/// that runs outside h must leave h once, which keeps one of these links busy for at least w: what the fastest of them
/// takes for it alone. A link carries one transfer at a time, so all of that together is at most L times the makespan;
/// where all of them go through a bus, its bandwidth is another such limit. In the area program, links and buses are
/// resources, and each datum is work of theirs on the classes that have no worker in h. One task stands for a datum: of
/// those that read its first value, the one that gains most elsewhere. Data that commuting tasks or reductions use
/// first are left out.
///
/// At least the area bound. The value is exact for the dual values that a search found
/// (certificate.hpp). The accesses must imply dependencies in the order of the tasks, as TaskGraphBuilder makes them.
/// Nothing without links. The homes with most work are looked at, at most kMostHomes. A few dozen times O(tasks x
/// classes).
[[nodiscard]] std::optional<Bound> linked_area_bound(const Instance& instance);
inline constexpr std::size_t kMostHomes = 3;

}  // namespace heddle::bounds
