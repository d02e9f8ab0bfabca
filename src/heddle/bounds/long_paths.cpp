#include "heddle/bounds/long_paths.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle::bounds {

void add_first_paths(PathProgram& program, const Instance& instance, std::span<const Chain> chains) {
  const Bound critical = critical_path_bound(instance);
  if (!critical.path.empty()) program.add_path(critical.path);
  for (const Chain& chain : chains) program.add_path(chain.path);
}

std::size_t paths_of_round(std::size_t round) {
  return 20 + 10 * round;
}

bool add_long_paths(PathProgram& program, const LongestPaths& paths, double limit, std::size_t count) {
  std::vector<TaskId> late;
  for (const TaskId task : paths.tasks()) {
    if (paths.length(task) > limit) late.push_back(task);
  }
  std::ranges::sort(late, {}, [&](TaskId task) { return std::pair(-paths.length(task), task); });
  Table<TaskId, char> covered(paths.tasks().size(), 0);
  std::size_t added = 0;
  for (const TaskId task : late) {
    if (covered[task]) continue;
    const std::vector<TaskId> path = paths.path(task);
    for (const TaskId other : path) covered[other] = 1;
    if (program.add_path(path) && ++added == count) break;
  }
  return added > 0;
}

}  // namespace heddle::bounds
