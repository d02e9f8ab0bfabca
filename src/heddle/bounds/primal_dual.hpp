#pragma once

#include <span>
#include <vector>

#include "heddle/bounds/saddle_point.hpp"

namespace heddle::bounds {

/// Ends what regret matching began: the primal-dual hybrid gradient (Chambolle and Pock 2011,
/// doi:10.1007/s10851-010-0251-1), reflected, anchored and restarted (Lu and Yang 2024, arXiv:2407.16144). Steps cost
/// O(tasks + edges) and news travels one edge per step; near the saddle point each some hundred to thousand steps give
/// another digit, however degenerate it is.
class PrimalDual {
 public:
  /// Starts from a solution; the problem must outlive it.
  PrimalDual(const SaddlePoint& problem, const Solution& start);

  void run(std::size_t steps);
  [[nodiscard]] Solution solution() const;

 private:
  /// A variable's values now and where its round began.
  struct Variables {
    std::vector<double> now;
    std::vector<double> anchor;
    std::vector<double> weight;  ///< of its steps: large ones where few rows or columns hold it back
  };
  /// How far a step went in either space, weighed by the inverse of the steps.
  struct Distance {
    double primal = 0;
    double dual = 0;
  };

  void start_early();
  void set_weights();
  [[nodiscard]] double operator_norm() const;
  template <bool kMeasured>
  void step();
  /// `kClasses`: how many there are, 0 for any number.
  template <bool kMeasured, std::size_t kClasses>
  void primal_step(double keep);
  template <bool kMeasured>
  void dual_step(double keep);
  void sum_flows();
  [[nodiscard]] bool round_is_over() const;
  void restart();

  const SaddlePoint& problem_;
  Variables shares_;            ///< x, by task and class
  Variables starts_;            ///< s
  Variables flows_;             ///< f, by edge
  Variables duals_;             ///< y
  std::vector<double> inflow_;  ///< by task, the end included
  std::vector<double> outflow_;
  std::vector<double> ahead_start_;  ///< extrapolated, as the dual step wants them
  std::vector<double> ahead_end_;
  std::vector<double> ahead_work_;
  double step_ = 1;
  double primal_weight_ = 1;  ///< dual steps over primal steps
  std::size_t steps_ = 0;
  std::size_t round_steps_ = 0;
  Distance moved_;         ///< by the last measured step
  double first_move_ = 0;  ///< of the round
  double last_move_ = 0;
  double move_before_ = 0;
};

}  // namespace heddle::bounds
