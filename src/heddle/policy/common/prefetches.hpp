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
  /// The next one; wait() when all have been asked for.
  [[nodiscard]] Action next() {
    if (next_ < actions_.size()) return actions_[next_++];
    actions_.clear();
    next_ = 0;
    return wait();
  }

 private:
  std::vector<Action> actions_;
  std::size_t next_ = 0;
};

}  // namespace heddle::policy
