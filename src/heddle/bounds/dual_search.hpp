#pragma once

#include <functional>
#include <span>
#include <vector>

namespace heddle::bounds {

/// What a search over dual values ended with; both sides are equal up to rounding when it ran to its end.
struct DualPoint {
  double proven = 0;          ///< the best lower bound, ...
  std::vector<double> duals;  ///< ... and the dual values that prove it
  double reached = 0;         ///< the makespan of the best solution, ...
  std::vector<double> use;    ///< ... and what it uses of each resource
};

/// Shares work out over a few resources r of which a makespan l offers capacity_r l, so that l is smallest, when the
/// work can choose freely and in fractions how it uses them. For dual values y >= 0 with sum_r capacity_r y_r = 1, the
/// cost of the cheapest choices is a lower bound of l; the largest such bound is the least l (linear programming
/// duality). This searches the dual values by cutting planes (Kelley 1960, doi:10.1137/0108053): each answer of
/// `cheapest` limits the bound everywhere. A mix of the answers is the solution.
///
/// `cheapest` fills in what the cheapest choices use of each resource at given dual values; its time, times a few
/// dozen, is the time of the search, whatever the number of choices. Good for up to about ten resources.
///
/// Given a time that would be `enough`, it stops as soon as it knows whether the least makespan is that short.
/// Capacities and uses are at least 0, not all capacities 0, and nothing is used of a resource without capacity.
using Cheapest = std::function<void(std::span<const double> duals, std::span<double> use)>;
[[nodiscard]] DualPoint search_duals(std::span<const double> capacity, const Cheapest& cheapest, double enough = 0);

}  // namespace heddle::bounds
