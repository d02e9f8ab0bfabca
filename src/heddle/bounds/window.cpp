#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/long_paths.hpp"
#include "heddle/bounds/windows.hpp"
#include "heddle/model/countdown.hpp"

namespace heddle::bounds {
namespace {

/// Adds windows that are too full and paths that are too long to the program until there are none.
class WindowRounds {
 public:
  WindowRounds(const Instance& instance, const Countdown& countdown, const Bound& known)
      : instance_(instance), countdown_(countdown), windows_(instance), program_(instance, windows_.groups()) {
    add_first_paths(program_, instance, find_chains(instance, countdown));
    if (!known.path.empty()) program_.add_path(known.path);
  }

  /// One round: raises the bound. False when it is exact or when time was over.
  bool improve(Bound& best) {
    const bool minimal = program_.minimise(countdown_);
    Bound bound = program_.bound();
    if (bound.value > best.value) best = std::move(bound);
    best.exact = minimal && !add(best.value);
    return minimal && !best.exact;
  }

 private:
  /// How far above the program's makespan, relatively, a window or path may reach.
  static constexpr double kTolerance = 1e-5;

  /// Whether anything was added.
  bool add(Time known) {
    const double limit = program_.makespan() * (1 + kTolerance);
    const std::size_t round = rounds_++;
    const Shares shares = program_.shares();
    const bool added = add_windows(shares, limit, known);
    const Table<TaskId, double> durations = shares.durations(instance_);
    const LongestPaths paths(instance_.graph, durations);
    return add_long_paths(program_, paths, limit, paths_of_round(round)) || added;
  }

  bool add_windows(const Shares& shares, double limit, Time known) {
    constexpr std::size_t kWindowsOfRound = 20;
    const std::size_t classes = instance_.platform.class_count();
    std::vector<double> by_group(windows_.groups().groups.size() * classes, 0.0);
    for (const TaskId task : instance_.graph.tasks()) {
      for (const ClassId c : instance_.platform.classes()) {
        by_group[windows_.groups().of[task] * classes + index(c)] += shares(task, c);
      }
    }
    bool added = false;
    for (const ClassWindow& window : windows_.too_full(by_group, limit, known, kWindowsOfRound)) {
      // What is there already is too full by no more than the solver's tolerance.
      if (std::ranges::find(added_, std::pair(window, known)) != added_.end()) continue;
      added_.emplace_back(window, known);
      program_.add_window(window, windows_.amounts(window, known));
      added = true;
    }
    return added;
  }

  const Instance& instance_;
  const Countdown& countdown_;
  Windows windows_;
  PathProgram program_;
  std::vector<std::pair<ClassWindow, Time>> added_;  ///< and the makespan known then
  std::size_t rounds_ = 0;
};

}  // namespace

Bound window_bound(const Instance& instance, const Options& options) {
  const Countdown countdown(options.seconds, options.stop);
  Bound known = iterative_bound(instance, options);
  return window_bound(instance, {countdown.left(), options.tolerance, options.stop}, std::move(known));
}

Bound window_bound(const Instance& instance, const Options& options, Bound known) {
  const Countdown countdown(options.seconds, options.stop);
  WindowRounds rounds(instance, countdown, known);
  Bound best = std::move(known);
  best.exact = false;
  while (!countdown.over() && rounds.improve(best)) {
  }
  best.out_of_time = !best.exact && countdown.over();
  return best;
}

}  // namespace heddle::bounds
