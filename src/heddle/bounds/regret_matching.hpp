#pragma once

#include <cstdint>
#include <vector>

#include "heddle/bounds/saddle_point.hpp"

namespace heddle::bounds {

/// Approaches a saddle point as players of a repeated game would: each task chooses its classes, and from each task on
/// the longest path chooses where to go, in proportion to what it regrets not to have chosen (regret matching+:
/// Tammelin 2014, arXiv:1407.5042; decomposed over a game's decisions: Zinkevich et al. 2007; with the tasks' regrets
/// predicted: Farina, Kroer and Sandholm 2021, arXiv:2007.14358). The average of what was played approaches the saddle
/// point. A round costs O(tasks + edges) and carries news from one end of the graph to the other: four digits after
/// some hundred, often seven after some thousand.
class RegretMatching {
 public:
  /// The problem must outlive it.
  explicit RegretMatching(const SaddlePoint& problem);

  void run(std::size_t rounds);
  /// The average so far.
  [[nodiscard]] const Solution& solution() const { return average_; }

 private:
  void play();
  void play_tasks(double fraction);
  double play_task(std::size_t task, double flow, double fraction);
  void play_paths();
  double play_edges(std::size_t task);
  void play_duals(double path);

  const SaddlePoint& problem_;
  std::vector<std::uint32_t> first_tasks_;
  std::vector<double> shares_;
  std::vector<double> share_regret_;
  std::vector<double> turn_;  ///< by edge, how much of the flow through its task takes it
  std::vector<double> turn_regret_;
  std::vector<double> entry_;  ///< by first task, how much of all flow starts there
  std::vector<double> entry_regret_;
  std::vector<double> duals_;  ///< by class, and of the path; they add up to 1
  std::vector<double> dual_regret_;
  std::vector<double> inflow_;
  std::vector<double> duration_;
  std::vector<double> ahead_;  ///< by task, the mean of paths that start with it
  std::vector<double> work_;   ///< by class
  std::vector<double> dual_of_worker_;
  Solution average_;
  std::size_t rounds_ = 0;
  double weights_ = 0;  ///< of all rounds so far
};

}  // namespace heddle::bounds
