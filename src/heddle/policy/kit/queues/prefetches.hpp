#pragma once

#include "heddle/policy/kit/queues/fifo.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The prefetches to ask for, first in, first out. Where data does not move there are none.
class Prefetches {
 public:
  void add(const View& view, TaskId task, WorkerId worker) {
    if (view.moves_data()) left_.push_back(prefetch(task, worker));
  }
  [[nodiscard]] bool are_left() const { return !left_.empty(); }
  /// The next one.
  [[nodiscard]] Action next() {
    const Action action = left_.front();
    left_.pop_front();
    return action;
  }

 private:
  Fifo<Action> left_;
};

}  // namespace heddle::policy
