#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/policy/kit/queues/queue_key.hpp"

namespace heddle::policy {

/// All tasks of a run in an order that is fixed before it: then queues of ready tasks hold places (PlaceSet) instead of
/// comparing keys.
class TaskOrder {
 public:
  /// Of `tasks` tasks, by key_of(task): a queue_key(), always the same. O(tasks) for each byte in which keys differ.
  template <class KeyOf>
  TaskOrder(std::size_t tasks, KeyOf&& key_of) {
    const auto key = [&](std::size_t i) { return key_of(make_id<TaskId>(i)); };
    // A chain is in order, from one end or from the other: the first two tell.
    const bool forward = tasks < 2 || key(0) < key(1);
    std::size_t next = 1;
    for (QueueKey before = tasks > 0 ? key(0) : 0; next < tasks; ++next) {
      if ((before < key(next)) != forward) break;
      before = key(next);
    }
    if (next >= tasks) {
      number(tasks, forward);
    } else {
      std::vector<QueueKey> keys;
      keys.reserve(tasks);
      for (std::size_t i = 0; i < tasks; ++i) keys.push_back(key(i));
      sort(keys);
    }
  }

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::uint32_t place(TaskId task) const { return places_[task]; }
  [[nodiscard]] TaskId task(std::uint32_t place) const { return tasks_[place]; }

 private:
  /// They are by number, forward or backward.
  void number(std::size_t tasks, bool forward);
  /// By keys, which stand in the order of what queue_key() puts into their last bytes, the tasks.
  void sort(std::vector<QueueKey>& keys);

  std::vector<TaskId> tasks_;
  Table<TaskId, std::uint32_t> places_;
};

}  // namespace heddle::policy
