#pragma once

#include <cstdint>
#include <vector>

#include "heddle/policy/common/queue_key.hpp"

namespace heddle::policy {

/// All tasks of a run in an order that is fixed before it: then queues of ready tasks hold places (PlaceSet) instead of
/// comparing keys.
class TaskOrder {
 public:
  /// By key; a key for each task, in the order of their numbers. O(tasks) for each byte in which keys differ.
  explicit TaskOrder(std::vector<QueueKey> keys);

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::uint32_t place(TaskId task) const { return places_[task]; }
  [[nodiscard]] TaskId task(std::uint32_t place) const { return tasks_[place]; }

 private:
  std::vector<TaskId> tasks_;
  Table<TaskId, std::uint32_t> places_;
};

}  // namespace heddle::policy
