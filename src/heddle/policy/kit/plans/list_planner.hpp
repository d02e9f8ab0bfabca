#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::policy {

/// When one worker is free: the gaps between the tasks placed on it so far, the last one without end.
class Timeline {
 public:
  struct Slot {
    std::size_t gap;
    Time start;
  };

  explicit Timeline(bool keep_empty_gaps) : keep_empty_gaps_(keep_empty_gaps) {}

  /// The earliest start from `ready` on at which a task of `duration` fits.
  [[nodiscard]] Slot earliest(Time ready, Time duration) const {
    auto gap = std::ranges::lower_bound(gaps_, ready + duration, {}, &Gap::end);
    while (std::max(ready, gap->start) + duration > gap->end) ++gap;
    const Time start = std::max(ready, gap->start);
    // Behind work that takes no time at this instant: what is placed now may depend on it.
    while (gap + 1 != gaps_.end() && (gap + 1)->start == start && start + duration <= (gap + 1)->end) ++gap;
    return {static_cast<std::size_t>(gap - gaps_.begin()), start};
  }
  void occupy(Slot slot, Time duration);

 private:
  struct Gap {
    Time start;
    Time end;
  };

  std::vector<Gap> gaps_{{0, kMaxTime}};
  bool keep_empty_gaps_;  ///< gaps of no length matter only to tasks of no duration
};

/// Offline list scheduling with insertion on estimates, as in HEFT and CPOP (Topcuoglu, Hariri and Wu 2002) and PEFT
/// (Arabnejad and Barbosa 2014): tasks by descending rank among those whose predecessors are placed (ties by number),
/// each inserted into the earliest gap that is long enough on a worker. What it reads has to arrive there first.
/// O(tasks x (workers x log gaps + inflows x memories)).
class ListPlanner {
 public:
  /// Both must outlive the planner.
  ListPlanner(const Instance& instance, const Communication& communication);

  struct Placement {
    WorkerId worker = kNone<WorkerId>;
    Timeline::Slot slot{};
    Time end = kMaxTime;
  };

  /// The plan, in the order in which it was made. choose(planner, task) is asked for the placement of each task: one
  /// that the planner offered for it. Throws InputError when data would be moving for more than 26 days.
  template <class Choose>
  [[nodiscard]] std::vector<Attempt> plan(Table<TaskId, std::int64_t> rank, const Choose& choose) {
    rank_ = std::move(rank);
    push_entries();
    while (!available_.empty()) {
      const TaskId task = available_.top().task;
      available_.pop();
      if (!communication_.free()) collect_arrivals(task);
      occupy(task, choose(*this, task));
    }
    return std::move(attempts_);
  }

  /// The placement that ends first; equal ends: the smallest worker. `ahead(class)` is added to the ends before they
  /// are compared.
  template <class Ahead>
  [[nodiscard]] Placement earliest_finish(TaskId task, const Ahead& ahead) const {
    const Platform& platform = instance_.platform;
    Placement best;
    Time best_value = kMaxTime;
    for (const ClassId c : platform.classes()) {
      if (!instance_.costs.can_run(task, c)) continue;
      const Time duration = instance_.costs.estimate(task, c);
      const Time after = ahead(c);
      for (const WorkerId worker : platform.workers(c)) {
        const Timeline::Slot slot = timelines_[worker].earliest(ready_time(task, worker), duration);
        if (slot.start + duration + after >= best_value) continue;
        best = {worker, slot, slot.start + duration};
        best_value = best.end + after;
      }
    }
    return best;
  }
  [[nodiscard]] Placement earliest_finish(TaskId task) const {
    return earliest_finish(task, [](ClassId) { return Time{0}; });
  }
  /// The placement on one worker, which can run the task.
  [[nodiscard]] Placement on_worker(TaskId task, WorkerId worker) const;

 private:
  /// A task whose predecessors are placed; the largest is the next: by rank, then by smaller number.
  struct Available {
    std::int64_t rank;
    TaskId task;
    bool operator<(const Available& other) const { return rank != other.rank ? rank < other.rank : task > other.task; }
  };

  [[nodiscard]] Time ready_time(TaskId task, WorkerId worker) const {
    return communication_.free() ? ready_time_[task] : arrival_[instance_.platform.memory_of(worker)];
  }
  void push_entries();
  void push(TaskId task) { available_.push({rank_[task], task}); }
  void collect_arrivals(TaskId task);
  void occupy(TaskId task, const Placement& placement);

  const Instance& instance_;
  const Communication& communication_;
  Table<TaskId, std::int64_t> rank_;
  Table<TaskId, Time> ready_time_;  ///< when the last predecessor ends
  Table<TaskId, std::uint32_t> waiting_;
  Table<TaskId, Placement> placed_;  ///< kept only where communication takes time
  Table<MemoryId, Time> arrival_;    ///< when all that the present task needs is in a memory
  Table<WorkerId, Timeline> timelines_;
  std::priority_queue<Available> available_;
  std::vector<Attempt> attempts_;
};

}  // namespace heddle::policy
