#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "heddle/policy/kit/queues/task_order.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"

namespace heddle::policy {

/// HeteroPrio's queue of ready tasks on two classes (Kumar 2017, algorithm 3): by descending acceleration factor; equal
/// factors by descending priority where the factor is at least 1, by ascending priority below; then by number. The GPU
/// takes the first, the CPU the last.
class AccelerationQueue {
 public:
  void start(const View& view, Table<TaskId, std::int64_t> priorities) {
    ranking_ = std::make_shared<const Ranking>(view.instance(), std::move(priorities));
    ready_ = PlaceSet(ranking_->order.size());
  }

  void push(TaskId task) { ready_.insert(ranking_->order.place(task)); }

  /// What the queue gives to a class; kNone when it is empty.
  [[nodiscard]] TaskId offered(ClassId c) const {
    const std::uint32_t place = c == kGpu ? ready_.first() : ready_.last();
    return place == PlaceSet::kNothing ? kNone<TaskId> : ranking_->order.task(place);
  }

  /// The task is in the queue.
  void take(TaskId task) { ready_.erase(ranking_->order.place(task)); }

  /// Whether task a is the more urgent one: by priority, then by smaller number.
  [[nodiscard]] bool more_urgent(TaskId a, TaskId b) const {
    const Table<TaskId, std::int64_t>& priority = ranking_->priority;
    return priority[a] != priority[b] ? priority[a] > priority[b] : a < b;
  }
  /// The rank of a task's acceleration factor, 0 for the highest.
  [[nodiscard]] std::uint32_t acceleration_rank(const View& view, TaskId task) const {
    return ranking_->ranks.rank(view.instance().costs.row(task));
  }

 private:
  /// What never changes during a run; clones share it.
  struct Ranking {
    Ranking(const Instance& instance, Table<TaskId, std::int64_t> priorities)
        : priority(std::move(priorities)), ranks(instance), order(priority.size(), [&](TaskId task) {
            const std::uint32_t row = instance.costs.row(task);
            return queue_key(ranks.rank(row), ranks.accelerated(row) ? ~priority[task] : priority[task], task);
          }) {}

    Table<TaskId, std::int64_t> priority;
    AccelerationRanks ranks;
    TaskOrder order;
  };

  std::shared_ptr<const Ranking> ranking_;
  PlaceSet ready_;
};

}  // namespace heddle::policy
