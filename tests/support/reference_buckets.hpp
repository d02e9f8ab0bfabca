#pragma once

#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

// HeteroPrio with a bucket per type of task, written a second time on the plain loop, for any number of classes. A
// bucket is a first-in first-out list of ready tasks, found anew at each look. No links, no noise. They share nothing
// with the real ones but the model.

/// LaHeteroprio (Bramas 2019) where data does not move: each class prefers what it is best at. `slowdown`: slower
/// classes leave a bucket alone unless enough is in it.
[[nodiscard]] std::vector<Attempt> reference_la_heteroprio(const Instance& instance, bool slowdown);

/// AutoHeteroprio (Flint et al. 2022, "Heuristics for automatic configuration"), formulas as printed, all metrics
/// computed from their definitions after every `every`-th ready task. Every class must be able to run every task.
/// Sums are of doubles, so that scores that differ by their rounding only may be in either order.
[[nodiscard]] std::vector<Attempt> reference_auto_heteroprio(const Instance& instance, std::string_view heuristic,
                                                             std::size_t every, bool slowdown);

}  // namespace heddle::test
