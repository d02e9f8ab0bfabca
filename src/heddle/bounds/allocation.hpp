#pragma once

#include <vector>

#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

/// Fractions in which classes share the tasks of an instance; those of a task add up to 1.
class Shares {
 public:
  Shares(std::size_t tasks, std::size_t classes) : classes_(classes), shares_(tasks * classes, 0.0) {}

  [[nodiscard]] double& operator()(TaskId task, ClassId c) { return shares_[index(task) * classes_ + index(c)]; }
  [[nodiscard]] double operator()(TaskId task, ClassId c) const { return shares_[index(task) * classes_ + index(c)]; }
  /// How long a task takes when each class does its share, one after the other, in picoseconds.
  [[nodiscard]] double duration(const Instance& instance, TaskId task) const;
  /// The same for all.
  [[nodiscard]] Table<TaskId, double> durations(const Instance& instance) const;

 private:
  std::size_t classes_;
  std::vector<double> shares_;
};

/// A solution of the iterative bound's linear program for the actual durations: no path through the tasks, as they are
/// shared, is longer than the bound, up to the relative tolerance (Options::tolerance), and no class has more work than
/// its workers can do in that time.
///
/// Optima are many. This is a vertex of the program over a part of the graph: tasks on the paths that had to be added
/// are shared out one by one, all others by groups of equal durations, inside which those on the longest paths take the
/// fastest classes. So few tasks are split between classes. Which vertex it is depends on the solver.
[[nodiscard]] Shares fractional_allocation(const Instance& instance, double tolerance = 1e-7);

}  // namespace heddle::bounds
