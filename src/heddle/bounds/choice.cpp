#include "heddle/bounds/choice.hpp"

#include <optional>

namespace heddle::bounds {

// Of the points (duration, cost) of the classes, the lower hull is crossed at `allowed`, on an edge from a quick class
// to a slow one. From the cheapest quick class on, either end moves in turn to where it makes the edge lowest: steps of
// the simplex method, and few.
Choice choose(std::span<const Time> times, std::span<const double> duals, double allowed) {
  const auto duration = [&](std::size_t c) { return static_cast<double>(times[c]); };
  const auto cost = [&](std::size_t c) { return duals[c] * duration(c); };
  const auto is_quick = [&](std::size_t c) { return times[c] != kCannotRun && duration(c) <= allowed; };
  const auto is_slow = [&](std::size_t c) { return times[c] != kCannotRun && duration(c) > allowed; };
  Choice best;
  for (std::size_t c = 0; c < times.size(); ++c) {
    if (is_quick(c)) best.improve(cost(c), c, c, 1);
  }
  for (bool moved = true; moved;) {
    const std::size_t from = best.first;
    std::optional<std::size_t> slow;
    double steepest = 0;
    for (std::size_t c = 0; c < times.size(); ++c) {
      if (!is_slow(c)) continue;
      const double slope = (cost(c) - cost(from)) / (duration(c) - duration(from));
      if (slope < steepest) steepest = slope, slow = c;
    }
    if (!slow) break;
    for (std::size_t c = 0; c < times.size(); ++c) {
      if (!is_quick(c)) continue;
      const double fraction = (duration(*slow) - allowed) / (duration(*slow) - duration(c));
      best.improve(fraction * cost(c) + (1 - fraction) * cost(*slow), c, *slow, fraction);
    }
    moved = best.first != from;
  }
  return best;
}

}  // namespace heddle::bounds
