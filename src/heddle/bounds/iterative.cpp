#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/chained_bound.hpp"
#include "heddle/bounds/countdown.hpp"
#include "heddle/bounds/longest_paths.hpp"
#include "heddle/bounds/path_program.hpp"
#include "heddle/bounds/slack.hpp"

namespace heddle::bounds {
namespace {

/// Paths that are added in a round: few while the bound still moves, when most of them soon stop mattering, and more as
/// the end draws near, when most of the graph is critical. Measured on tiled factorizations of 8 to 64 tiles.
std::size_t paths_of_round(std::size_t round) {
  return 20 + 10 * round;
}

/// Adds up to `count` of the longest paths, those longer than `limit`; each has a task that the ones before it do not.
/// Answers whether any was new to the program.
bool add_long_paths(PathProgram& program, const Instance& instance, const LongestPaths& paths, double limit,
                    std::size_t count) {
  std::vector<TaskId> late;
  for (const TaskId task : instance.graph.tasks()) {
    if (paths.length(task) > limit) late.push_back(task);
  }
  std::ranges::sort(late, {}, [&](TaskId task) { return std::pair(-paths.length(task), task); });
  Table<TaskId, char> covered(instance.graph.task_count(), 0);
  std::size_t added = 0;
  for (const TaskId task : late) {
    if (covered[task]) continue;
    const std::vector<TaskId> path = paths.path(task);
    for (const TaskId other : path) covered[other] = 1;
    if (program.add_path(path) && ++added == count) break;
  }
  return added > 0;
}

/// The strongest of the bounds that the iterative one contains.
Bound strongest_part(const Instance& instance, std::span<const Chain> chains) {
  Bound best = critical_path_bound(instance);
  Bound area = area_bound(instance);
  if (area.value >= best.value) best = std::move(area);
  auto mixed = mixed_bound(instance, chains);
  if (mixed && mixed->value > best.value) best = std::move(*mixed);
  best.exact = false;
  return best;
}

void add_first_paths(PathProgram& program, const Instance& instance, std::span<const Chain> chains) {
  const Bound critical = critical_path_bound(instance);
  if (!critical.path.empty()) program.add_path(critical.path);
  for (const Chain& chain : chains) program.add_path(chain.path);
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
      : instance_(instance), options_(options), countdown_(countdown), program_(instance) {
    add_first_paths(program_, instance, chains);
  }

  /// Raises the bound as far as time permits.
  void improve(Bound& best) {
    for (std::size_t round = 0; !best.exact && !countdown_.over(); ++round) {
      const Time before = best.value;
      const bool minimal = program_.minimise(countdown_.left());
      Bound bound = program_.bound();
      bound.value = std::max(bound.value, before);
      bound.exact = false;
      best = std::move(bound);
      if (!minimal || !add_paths(round, best)) return;
      // Less and less often: where it did not help so far, it seldom will.
      if (std::has_single_bit(round + 1) && best.value > before) close_by_slack(instance_, options_.tolerance, best);
    }
  }

 private:
  /// Marks the bound as exact when no path is too long; answers whether a path was added.
  bool add_paths(std::size_t round, Bound& bound) {
    const Table<TaskId, double> duration = program_.durations();
    const LongestPaths paths(instance_.graph, duration);
    const double reached = std::max(paths.longest(), program_.makespan());
    bound.exact = reached <= static_cast<double>(bound.value + 1) * (1 + options_.tolerance);
    if (bound.exact) return false;
    const double limit = program_.makespan() * (1 + options_.tolerance / 2);
    return add_long_paths(program_, instance_, paths, limit, paths_of_round(round));
  }

  const Instance& instance_;
  const Options& options_;
  const Countdown& countdown_;
  PathProgram program_;
};

}  // namespace

Bound iterative_bound(const Instance& instance, const Options& options) {
  const Countdown countdown(options.seconds);
  const std::vector<Chain> chains = find_chains(instance);
  Bound best = strongest_part(instance, chains);
  if (countdown.over() || close_by_slack(instance, options.tolerance, best)) return best;
  PathRounds(instance, chains, options, countdown).improve(best);
  return best;
}

}  // namespace heddle::bounds
