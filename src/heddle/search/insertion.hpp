#pragma once

#include <optional>
#include <vector>

#include "heddle/search/disjunctive_graph.hpp"

namespace heddle::search {

/// Where a task could go.
struct Insertion {
  WorkerId worker{};
  std::size_t position = 0;  ///< in the worker's sequence, counted without the task
  /// The longest path through the task is then no longer than this. The other paths do not become longer.
  Time longest = 0;
};

/// Finds the best place of one task on a worker, without trying (Mastrolilli and Gambardella 2000, section 4): what
/// must come before the task by its own predecessors goes before it, what must come after it goes after it, and among
/// the remaining positions the one with the shortest path through the task is the best.
class InsertionSearch {
 public:
  /// The graph must outlive it.
  explicit InsertionSearch(const DisjunctiveGraph& graph) : graph_(graph) {}

  /// Which task the next calls of `best` are for; until the graph changes.
  void choose(TaskId task);
  /// The best place on a worker, other than where the task is; nothing when there is none or its class cannot run it.
  [[nodiscard]] std::optional<Insertion> best(WorkerId worker);

 private:
  template <class End, class Rest>
  [[nodiscard]] std::optional<Insertion> best(WorkerId worker, std::size_t length, End end, Rest rest) const;
  void compute_own_sequence();

  const DisjunctiveGraph& graph_;
  TaskId task_{};
  Time earliest_start_ = 0;  ///< were it alone on its worker
  Time shortest_tail_ = 0;
  bool own_known_ = false;
  std::vector<Time> own_end_;  ///< of the other tasks of its worker, without the task: at most this
  std::vector<Time> own_rest_;
};

}  // namespace heddle::search
