#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

/// The whole program of the iterative bound as a saddle point, in arrays for methods of many cheap steps. Tasks share
/// themselves out over the classes (x) and take start times (s, with the makespan last); flow along edges (f) weighs
/// the precedences, dual values (y) the classes' capacities:
///
///     min_x,s max_f,y  s_end + sum_tu f_tu (s_t + d_t - s_u) + sum_r y_r (work_r / M_r - s_end)
///
/// with d_t = sum_r x_rt T_rt. Tasks are numbered in topological order, those without successors have an edge to the
/// end, which is numbered last.
struct SaddlePoint {
  /// The instance must outlive it. `scale`: picoseconds near the bound.
  SaddlePoint(const Instance& instance, double scale);

  [[nodiscard]] std::span<const double> times_of(std::size_t task) const { return {&times[task * classes], classes}; }

  const Instance& instance;
  double scale;
  std::size_t tasks;
  std::size_t classes;
  std::vector<double> workers;
  std::vector<double> times;         ///< by task and class, in multiples of `scale`; negative where it cannot run
  std::vector<std::uint32_t> first;  ///< by task, its first edge; one more at the end
  std::vector<std::uint32_t> to;     ///< by edge
  std::vector<char> is_first;        ///< by task, whether it has no predecessor
};

/// Both sides of a saddle point, nearly.
struct Solution {
  std::vector<double> shares;  ///< x, by task and class
  std::vector<double> flows;   ///< f, by edge
  std::vector<double> duals;   ///< y, by class
};

/// What the flow and the dual values prove. The flow is scaled on the way from the first tasks to the end, so that as
/// much leaves a task as comes in. Without the use of classes.
[[nodiscard]] Bound proven_bound(const SaddlePoint& problem, const Solution& solution);

/// How long tasks take as they are shared out, in picoseconds.
[[nodiscard]] Table<TaskId, double> durations(const SaddlePoint& problem, const Solution& solution);

}  // namespace heddle::bounds
