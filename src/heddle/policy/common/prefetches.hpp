#pragma once

#include <cstddef>
#include <vector>

#include "heddle/policy/action.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The prefetches to ask for, first in, first out. Where data does not move there are none.
class Prefetches {
 public:
  void add(const View& view, TaskId task, WorkerId worker) {
    if (view.moves_data()) actions_.push_back(prefetch(task, worker));
  }
  [[nodiscard]] bool are_left() const { return !actions_.empty(); }
  /// The next one.
  [[nodiscard]] Action next() {
    const Action action = actions_[next_++];
    if (next_ == actions_.size()) {
      actions_.clear();
      next_ = 0;
    }
    return action;
  }

 private:
  std::vector<Action> actions_;
  std::size_t next_ = 0;
};

}  // namespace heddle::policy
