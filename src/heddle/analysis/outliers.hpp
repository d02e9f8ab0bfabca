#pragma once

#include <cstddef>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// Completed attempts of one type on one class that took much longer than the others of these.
struct Outliers {
  TypeId type;
  ClassId on;
  std::size_t attempts;              ///< that completed, outliers included
  Time median;                       ///< of how long they took; the upper one of two
  Time limit;                        ///< outliers took longer
  TimeSum excess;                    ///< how much longer than the median, all outliers together
  std::vector<std::size_t> slowest;  ///< all outliers, as positions in Schedule::attempts, the longest first
};

/// An attempt is an outlier when it took longer than median + 5 max(1.5 deviation, 1 % of the median), where the
/// deviation is the median of the distances from the median (which, times 1.48, estimates the standard deviation of
/// normal durations): at least kFewestForOutliers attempts of its type completed on its class. By excess, the largest
/// first. O(n log n).
[[nodiscard]] std::vector<Outliers> find_outliers(const Instance& instance, const Schedule& schedule);
inline constexpr std::size_t kFewestForOutliers = 8;

}  // namespace heddle::analysis
