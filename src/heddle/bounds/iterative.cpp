#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/chains.hpp"
#include "heddle/bounds/countdown.hpp"
#include "heddle/bounds/longest_paths.hpp"
#include "heddle/bounds/path_program.hpp"

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

}  // namespace

/// Rows for paths are added as they are found too long, as in Kumar 2017, section 3.4, with three differences that make
/// it quick: tasks on no added path stay together in groups of equal durations; paths enter as edges between start
/// times, so that they also bring in their recombinations; and where a group leaves open which of its tasks is
/// accelerated, it is the one on the longest path, so that few paths turn out too long at all.
Bound iterative_bound(const Instance& instance, const Options& options) {
  const Countdown countdown(options.seconds);
  const std::vector<Chain> chains = find_chains(instance);
  Bound best = strongest_part(instance, chains);
  PathProgram program(instance);
  add_first_paths(program, instance, chains);
  for (std::size_t round = 0; !countdown.over(); ++round) {
    const bool minimal = program.minimise(countdown.left());
    Bound bound = program.bound();
    bound.value = std::max(bound.value, best.value);
    bound.exact = false;
    best = std::move(bound);
    if (!minimal) break;
    const Table<TaskId, double> duration = program.durations();
    const LongestPaths paths(instance.graph, duration);
    const double reached = std::max(paths.longest(), program.makespan());
    best.exact = reached <= static_cast<double>(best.value + 1) * (1 + options.tolerance);
    const double limit = program.makespan() * (1 + options.tolerance / 2);
    if (best.exact || !add_long_paths(program, instance, paths, limit, paths_of_round(round))) break;
  }
  return best;
}

}  // namespace heddle::bounds
