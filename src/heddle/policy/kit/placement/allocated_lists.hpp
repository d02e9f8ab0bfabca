#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heddle/policy/kit/queues/task_queue.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// List scheduling (Graham 1969) of tasks whose classes are fixed: an idle worker takes the most urgent ready task of
/// its class, ties by number. Tasks of a class whose workers have all left may run anywhere.
class AllocatedLists {
 public:
  /// `urgency` is empty for the order in which tasks become ready.
  void start(const View& view, Table<TaskId, ClassId> allocation, Table<TaskId, std::int64_t> urgency);
  void ready(const View& view, std::span<const TaskId> tasks);
  void refused(const View& view, Action action);
  void workers_changed(const View& view);
  [[nodiscard]] Action next(const View& view);

 private:
  /// What never changes during a run; clones share it.
  struct TaskTables {
    Table<TaskId, ClassId> allocation;
    Table<TaskId, std::int64_t> urgency;
    Kinds kinds;
  };

  [[nodiscard]] TaskId take(ClassId c);

  std::shared_ptr<const TaskTables> tables_;
  Table<ClassId, TaskQueue> lists_;
  Table<ClassId, char> deserted_;  ///< all workers have left
  std::int64_t arrivals_ = 0;
};

}  // namespace heddle::policy
