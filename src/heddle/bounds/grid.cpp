#include "heddle/bounds/grid.hpp"

#include <numeric>

namespace heddle::bounds {

Time duration_grid(const Instance& instance) {
  Time grid = 0;
  for (const TaskId task : instance.graph.tasks()) {
    for (const ClassId c : instance.platform.classes()) {
      if (instance.costs.can_run(task, c)) grid = std::gcd(grid, instance.costs.actual(task, c));
    }
    if (grid == 1) break;
  }
  return grid;
}

Time round_up(Time value, Time grid) {
  if (grid == 0 || value % grid == 0) return value;
  const Time missing = grid - value % grid;
  return value > kMaxTime - missing ? value : value + missing;
}

}  // namespace heddle::bounds
