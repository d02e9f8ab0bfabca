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
/// Let dual values y_r >= 0 per worker of class r and a flow along paths of the graph be given, f_t of it through task
/// t, F in all. In a schedule of length l, class r works at most M_r l, and on each path at most l passes. Weighing
/// these limits with dual values and flow,
///
///     sum_t min_r (y_r + f_t) T_rt  <=  sum_t (y_r(t) + f_t) T_r(t)t  <=  (sum_r M_r y_r + F) l.
///
/// This holds for *any* dual values and flow; the optimal ones give the iterative bound, those without flow the area
/// bound. Windows add limits of the same kind, and dual values z_w per worker in them: what must be done on class r
/// between the instants h and l - t, at least e_wrt for a task t that runs there, is at most M_r (l - h - t). Then the
/// left side gains sum_w z_w e_wr(t)t inside the minimum and z_w M_r (h + t) outside, the right side z_w M_r. Dual
/// values and flow are rounded to integers, multiples of 2^-50, after which everything is exact.
class Certificate {
 public:
  /// A dual value or an amount of flow, in units of 2^-50.
  using Units = std::int64_t;
  /// The nearest; values that no optimal dual has (negative ones, ones above `most`) become 0 and `most`.
  [[nodiscard]] static Units units(double value, double most = 2);

  /// `dual values` by class.
  Certificate(const Platform& platform, std::span<const double> duals);

  /// `tasks` tasks of these durations by class, with `flow` through each, and what each must do in windows, weighed
  /// with their dual values, by class too. All durations of a certificate, the slowest of each task, add up to at most
  /// kMaxTime / 16, as those of an Instance do.
  void add_work(std::span<const Time> durations, std::int64_t tasks, Units flow, std::span<const Wide> in_windows = {});
  /// `flow` in all, on paths that spend `length` on tasks that add_work was not told the flow through.
  void add_flow(Units flow, Time length = 0);

  /// A window for `workers` that leaves `outside` picoseconds of the makespan out (h + t); workers x dual value at
  /// most 2.
  void add_window(Units dual, std::uint32_t workers, Time outside);

  /// Classes whose workers have a dual value: the bound rests on their work.
  [[nodiscard]] std::vector<ClassId> weighed_classes() const;
  /// floor(left side / right side); 0 when there are neither dual values nor flow.
  [[nodiscard]] Time bound() const;

 private:
  std::vector<Units> duals_;
  Wide left_ = 0;
  Wide right_ = 0;
};

}  // namespace heddle::bounds
