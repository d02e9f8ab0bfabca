#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/model/time.hpp"

namespace heddle::bounds {

// GCC and clang both have it; -Wpedantic only notes that ISO C++ does not.
__extension__ using Wide = __int128;

/// Turns a solution of a linear program's dual into a bound that holds for certain.
///
/// Let prices y_r >= 0 per worker of class r and a flow along paths of the graph be given, f_t of it through task t, F
/// in all. In a schedule of length l, class r works at most M_r l, and on each path at most l passes. Weighing these
/// limits with prices and flow,
///
///     sum_t min_r (y_r + f_t) T_rt  <=  sum_t (y_r(t) + f_t) T_r(t)t  <=  (sum_r M_r y_r + F) l.
///
/// This holds for *any* prices and flow; the optimal ones give the iterative bound, those without flow the area bound.
/// Prices and flow are rounded to integers, multiples of 2^-50, after which everything is exact.
class Certificate {
 public:
  /// A price or an amount of flow, in units of 2^-50.
  using Units = std::int64_t;
  /// The nearest; values that no optimal dual has (negative ones, ones above 2) become 0 and 2.
  [[nodiscard]] static Units units(double value);

  /// `prices` by class.
  Certificate(const Platform& platform, std::span<const double> prices);

  /// `tasks` tasks of these durations by class, with `flow` through each. All durations of a certificate, the slowest
  /// of each task, add up to at most kMaxTime / 16, as those of an Instance do.
  void add_work(std::span<const Time> durations, std::int64_t tasks, Units flow);
  /// `flow` in all, on paths that spend `length` on tasks that add_work was not told the flow through.
  void add_flow(Units flow, Time length = 0);

  /// Classes whose workers have a price: the bound rests on their work.
  [[nodiscard]] std::vector<ClassId> priced_classes() const;
  /// floor(left side / right side); 0 when there are neither prices nor flow.
  [[nodiscard]] Time bound() const;

 private:
  std::vector<Units> prices_;
  Wide left_ = 0;
  Wide right_ = 0;
};

}  // namespace heddle::bounds
