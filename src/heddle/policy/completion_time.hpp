#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/policy/worker_queues.hpp"

namespace heddle::policy {

/// The completion-time family: tasks that become ready together are taken in an order and each is put on the worker
/// that is expected to complete it first, the whole queue of that worker counted; ties to the smallest worker. Members
/// differ in the order of the batch and of the queues. A task stays where it was put.
class CompletionTime {
 public:
  enum class Queues : std::uint8_t { fifo, priority };

  explicit CompletionTime(Queues order) : order_(order) {}

  /// `urgency`: the batch is taken by descending urgency, then by number; so are queues by priority.
  void start(const View& view, Table<TaskId, std::int64_t> urgency);
  void ready(const View& view, std::span<const TaskId> tasks);
  void refused(const View& view, Action action);
  void workers_changed(const View& view);
  [[nodiscard]] Action next(const View& view) { return queues_.serve(view); }

 private:
  void place(const View& view, TaskId task);

  Queues order_;
  Table<TaskId, std::int64_t> urgency_;
  WorkerQueues queues_;
  std::vector<TaskId> batch_;     ///< kept to save allocations
  std::vector<TaskId> homeless_;  ///< tasks that no available worker can run
  std::int64_t arrivals_ = 0;
};

}  // namespace heddle::policy
