#pragma once

#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/work_groups.hpp"

namespace heddle::bounds {

/// How much of a task is inside a window at the least, in picoseconds, when it takes `duration` without interruption,
/// has these heads and tails and the makespan is at least `makespan`. A task that sticks out on one side does so by no
/// more than its head or tail allows; one that sticks out on both spans the window.
[[nodiscard]] Time least_inside(Time duration, Time head, Time tail, const ClassWindow& window, Time makespan);

/// Tells which windows are too full.
class Windows {
 public:
  explicit Windows(const Instance& instance);

  /// Tasks that no window tells apart: of equal durations, heads and tails.
  [[nodiscard]] const TaskGroups& groups() const { return groups_; }
  /// What each task of a group must do in the window, by group; see least_inside.
  [[nodiscard]] std::vector<Time> amounts(const ClassWindow& window, Time makespan) const;
  /// Windows that need a makespan longer than `limit` picoseconds for what they hold of the tasks, shared out as
  /// `shares` (by group and class, in tasks), at most `count`, the fullest first. The amounts are those for the
  /// makespan `known`. Windows begin and end where tasks start or end at the soonest: the search goes over a grid of
  /// such windows first, then climbs from the fullest there to the fullest around it. Time O(kGrid^2 groups).
  [[nodiscard]] std::vector<ClassWindow> too_full(const std::vector<double>& shares, double limit, Time known,
                                                  std::size_t count) const;

 private:
  static constexpr std::size_t kGrid = 48;

  struct Part;
  struct Found;
  class Search;

  [[nodiscard]] std::vector<Part> parts(const std::vector<double>& shares, ClassId on) const;

  const Instance& instance_;
  TaskGroups groups_;
  std::vector<Time> head_;  ///< by group
  std::vector<Time> tail_;  ///< by group
  std::vector<Time> head_thresholds_;
  std::vector<Time> tail_thresholds_;
};

}  // namespace heddle::bounds
