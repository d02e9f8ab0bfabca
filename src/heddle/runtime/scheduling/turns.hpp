#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// Keeps tasks that commute on a datum apart, as host::CommuteQueue does in a simulation: a task holds the data that it
/// commutes on from when it is ready until it has ended. Which data is taken, the data itself knows (Block::taken), as
/// it outlives epochs; who waits for it is known for one epoch.
class Turns {
 public:
  /// Takes all the data that the task commutes on, or nothing: then, one that another task has.
  [[nodiscard]] static Block* acquire(Node& node);
  /// The same, for a task that could run otherwise; whether it waits in line for a datum that another task has.
  [[nodiscard]] bool stands_in_line(Node& node);
  /// Of the data that the task commutes on, if it holds them.
  void let_go(Node& node) {
    if (node.holds) let_go_of_all(node);
  }
  /// The first of those that wait for a datum that is free again; it may try again. Nothing: there is none.
  [[nodiscard]] std::optional<TaskId> next() { return free_.empty() ? std::nullopt : find_next(); }
  /// Whether data is free again, for which tasks may wait.
  [[nodiscard]] bool some_free() const { return !free_.empty(); }
  /// None of those that wait is known any more.
  void forget_lines() {
    lines_.clear();
    free_.clear();
  }

 private:
  void let_go_of_all(Node& node);
  [[nodiscard]] std::optional<TaskId> find_next();

  std::unordered_map<Block*, std::set<TaskId>> lines_;  ///< by the datum that another task has
  std::vector<Block*> free_;                            ///< of these data, those that are free again
};

}  // namespace heddle::runtime
