#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <vector>

#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// Tasks that tasks have submitted, and that are held back: they are let go a few at a time, the newest first. So tasks
/// that submit tasks run depth first, and few of them wait at once. One thread at a time calls this, any thread
/// count().
class NestedTasks {
 public:
  /// `most`: they are let go until about so many tasks are known.
  explicit NestedTasks(std::size_t most) : most_(most) {}

  /// How many are held back. Sequentially consistent, as Submission::pending().
  [[nodiscard]] std::size_t count() const { return count_.load(); }
  /// Appends to `tasks`, which are those that are known, in the order of submission: of those just taken up all that
  /// the program has submitted; the newest of those that tasks have submitted, about as many as are missing to `most`;
  /// and those that one of these waits for. Holds back the others.
  void choose(const std::deque<Node*>& taken, std::vector<Node*>& tasks);
  /// Calls `visit` with the node of each that is held back.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Ref& task : held_back_) {
      if (is_held_back(task)) visit(*task.node);
    }
  }

 private:
  void hold_back(Node& node);
  /// A node that holds another task may just be written to.
  [[nodiscard]] static bool is_held_back(const Ref& task) { return !has_ended(task) && task.node->held_back; }
  void let_go(Node& node, std::vector<Node*>& tasks);

  const std::size_t most_;
  std::vector<Ref> held_back_;  ///< in the order of submission; some may have been let go
  std::atomic<std::size_t> count_{0};
};

}  // namespace heddle::runtime
