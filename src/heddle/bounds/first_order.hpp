#pragma once

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/countdown.hpp"

namespace heddle::bounds {

/// Raises an iterative bound by many steps that cost O(tasks + edges) each, until it is exact: regret matching comes
/// near the saddle point, the primal-dual method to the end, and fit_near proves that nothing is missing. Where nearly
/// every task is critical that takes a few thousand steps, while the programs of the simplex method grow as large as
/// the graph. `best` is a bound, above 0, to begin with, and stays one; false when time or patience ended before it was
/// exact.
bool close_by_steps(const Instance& instance, const Options& options, const Countdown& countdown, Bound& best);

}  // namespace heddle::bounds
