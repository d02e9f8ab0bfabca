#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "heddle/policy/kit/queues/task_order.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// How one class looks at ready tasks: which queue the tasks of a cost row are in for it, and which end it takes.
struct ClassOrder {
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  std::vector<std::uint32_t>
      queue_of_row;  ///< queue 0 is looked into first; kNever: the class leaves these tasks alone
  /// In a queue: the highest priority first, then the smallest number; otherwise the lowest, then the largest.
  bool urgent_first = true;
};

/// Ready tasks in queues that each class orders and groups in its own way. What one class takes is gone for all. A
/// task costs O(classes x log tasks); looking for a class's first queue that is not empty reads a bit per queue.
class ClassQueues {
 public:
  void start(const View& view, Table<ClassId, ClassOrder> orders, Table<TaskId, std::int64_t> priorities);

  void push(const View& view, TaskId task);
  void take(const View& view, TaskId task);
  [[nodiscard]] bool holds(TaskId task) const { return ready_[index(task)]; }

  /// What the class takes first out of its first queue for which open(queue, tasks in it) holds; kNone when there is
  /// none.
  template <class Open>
  [[nodiscard]] TaskId front(ClassId c, Open&& open) {
    Queues& own = queues_[c];
    for (std::size_t word = 0; word < own.filled.size(); ++word) {
      for (std::uint64_t bits = own.filled[word]; bits != 0; bits &= bits - 1) {
        const auto queue = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        if (open(queue, own.count[queue])) return first(c, queue);
      }
    }
    return kNone<TaskId>;
  }
  [[nodiscard]] TaskId front(ClassId c) {
    return front(c, [](std::uint32_t, std::uint32_t) { return true; });
  }

  /// The highest priority of the ready tasks that the class, which takes urgent tasks first, does not leave alone; the
  /// lowest number there is when there are none.
  [[nodiscard]] std::int64_t highest_priority(ClassId c) {
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    static_cast<void>(front(c, [&](std::uint32_t queue, std::uint32_t) {
      highest = std::max(highest, priority(first(c, queue)));
      return false;
    }));
    return highest;
  }

  /// kNever when the class leaves the task alone.
  [[nodiscard]] std::uint32_t queue_of(const View& view, ClassId c, TaskId task) const {
    return ordering_->orders[c].queue_of_row[view.instance().costs.row(task)];
  }
  [[nodiscard]] std::int64_t priority(TaskId task) const { return ordering_->priority[task]; }
  /// Whether task a is the more urgent one: by priority, then by smaller number.
  [[nodiscard]] bool more_urgent(TaskId a, TaskId b) const {
    return priority(a) != priority(b) ? priority(a) > priority(b) : a < b;
  }

 private:
  /// What never changes during a run; clones share it.
  struct Ordering {
    Table<ClassId, ClassOrder> orders;
    Table<TaskId, std::int64_t> priority;
  };
  struct Queues {
    std::vector<std::vector<QueueKey>> heaps;  ///< with tasks that other classes have taken, until they are on top
    std::vector<std::uint32_t> count;          ///< by queue: ready tasks
    std::vector<std::uint64_t> filled;         ///< a bit per queue: whether there are any
  };

  [[nodiscard]] TaskId first(ClassId c, std::uint32_t queue);

  std::shared_ptr<const Ordering> ordering_;
  Table<ClassId, Queues> queues_;
  std::vector<bool> ready_;  ///< by task number
};

}  // namespace heddle::policy
