#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/chained_bound.hpp"
#include "heddle/bounds/first_order.hpp"
#include "heddle/bounds/long_paths.hpp"
#include "heddle/bounds/slack.hpp"
#include "heddle/model/countdown.hpp"

namespace heddle::bounds {
namespace {

/// The strongest of the bounds that the iterative one contains.
Bound strongest_part(const Instance& instance, std::span<const Chain> chains, const Countdown& countdown) {
  Bound best = critical_path_bound(instance);
  Bound area = area_bound(instance);
  if (area.value >= best.value) best = std::move(area);
  auto mixed = mixed_bound(instance, chains, countdown);
  if (mixed && mixed->value > best.value) best = std::move(*mixed);
  best.exact = false;
  return best;
}

/// Whether a solution is found that is as good as the bound, which then is exact; it keeps the solution's class use.
bool close_by_slack(const Instance& instance, double tolerance, Bound& bound) {
  const double deadline = static_cast<double>(bound.value + 1) * (1 + tolerance / 2);
  auto use = fit_within_slack(instance, deadline);
  if (use) bound.use = std::move(*use);
  bound.exact = use.has_value();
  return bound.exact;
}

/// Adds paths to the program as they are found too long until none is, as in Kumar 2017, section 3.4, with differences
/// that make it quick: tasks on no added path stay together in groups of equal durations; paths enter as edges between
/// start times, so that they also bring in their recombinations; and where a group leaves open which of its tasks is
/// accelerated, it is the one on the longest path, so that few paths turn out too long at all.
class PathRounds {
 public:
  PathRounds(const Instance& instance, std::span<const Chain> chains, const Options& options,
             const Countdown& countdown)
      : instance_(instance),
        options_(options),
        countdown_(countdown),
        program_(instance, group_by_durations(instance)) {
    add_first_paths(program_, instance, chains);
  }

  /// One round: raises the bound, adds paths. False when no path is too long, which makes the bound exact, when none
  /// that is could be added, or when time was over.
  bool improve(Bound& best) {
    const bool minimal = program_.minimise(countdown_);
    Bound bound = program_.bound();
    bound.value = std::max(bound.value, best.value);
    bound.exact = false;
    best = std::move(bound);
    return minimal && add_paths(best);
  }

  /// After improve: how the program's solution shares tasks out.
  [[nodiscard]] Shares shares() const { return program_.shares(); }
  /// Whether the simplex method has had about as long as first-order steps would take. Where paths and area compete it
  /// would go on until the program has the whole graph.
  [[nodiscard]] bool slow() const {
    constexpr double kLittle = 3e6;
    constexpr double kPerSize = 300;
    const auto size = static_cast<double>(instance_.graph.task_count() + instance_.graph.edge_count());
    return program_.effort() > kLittle + kPerSize * size;
  }

 private:
  bool add_paths(Bound& bound) {
    const Table<TaskId, double> duration = shares().durations(instance_);
    const LongestPaths paths(instance_.graph, duration);
    const double reached = std::max(paths.longest(), program_.makespan());
    bound.exact = reached <= static_cast<double>(bound.value + 1) * (1 + options_.tolerance);
    if (bound.exact) return false;
    const double limit = program_.makespan() * (1 + options_.tolerance / 2);
    return add_long_paths(program_, paths, limit, paths_of_round(rounds_++));
  }

  const Instance& instance_;
  const Options& options_;
  const Countdown& countdown_;
  PathProgram program_;
  std::size_t rounds_ = 0;
};

/// Raises the bound until it is exact, or as far as time and precision allow.
void close_by_paths(const Instance& instance, std::span<const Chain> chains, const Options& options,
                    const Countdown& countdown, Bound& best) {
  PathRounds rounds(instance, chains, options, countdown);
  Time before = best.value;
  bool tried_steps = false;
  for (std::size_t round = 1; !countdown.over() && rounds.improve(best); ++round) {
    // Less and less often: where it did not help so far, it seldom will.
    const bool helpful = std::has_single_bit(round) && best.value > before;
    if (helpful && close_by_slack(instance, options.tolerance, best)) break;
    before = best.value;
    if (!rounds.slow() || std::exchange(tried_steps, true)) continue;
    if (close_by_steps(instance, options, countdown, best)) break;
  }
}

}  // namespace

Bound iterative_bound(const Instance& instance, const Options& options) {
  const Countdown countdown(options.seconds, options.stop);
  const std::vector<Chain> chains = find_chains(instance, countdown);
  Bound best = strongest_part(instance, chains, countdown);
  if (!countdown.over() && !close_by_slack(instance, options.tolerance, best)) {
    close_by_paths(instance, chains, options, countdown, best);
  }
  best.out_of_time = !best.exact && countdown.over();
  return best;
}

Shares fractional_allocation(const Instance& instance, double tolerance) {
  const Options options{.tolerance = tolerance};
  const Countdown countdown;
  const std::vector<Chain> chains = find_chains(instance, countdown);
  PathRounds rounds(instance, chains, options, countdown);
  Bound best = strongest_part(instance, chains, countdown);
  while (rounds.improve(best)) {
  }
  return rounds.shares();
}

}  // namespace heddle::bounds
