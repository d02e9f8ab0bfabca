#pragma once

#include <vector>

#include "heddle/model/task_graph.hpp"

namespace heddle::io {

/// `to` waits for `from`.
struct PassedDependency {
  TaskId from;
  TaskId to;

  bool operator==(const PassedDependency&) const = default;
};

/// The dependencies among the tasks of `graph` for which `kept` holds, once the others are taken out and what waited
/// for them waits for what they waited for: one for each pair of kept tasks joined by an edge or by a path over others.
///
/// Cost: what is scanned, edges and the sets that pass through; chains share one set. A synchronisation between m and n
/// tasks becomes m * n dependencies, so the cost is limited: throws InputError, without a file, when more than
/// `most_scanned` predecessors would have to pass through what is taken out.
[[nodiscard]] std::vector<PassedDependency> contract(const TaskGraph& graph, const Table<TaskId, bool>& kept,
                                                     std::size_t most_scanned = std::size_t{1} << 26);

}  // namespace heddle::io
