#include <algorithm>
#include <queue>

#include "heddle/policy/follow_plan.hpp"
#include "heddle/policy/policy_table.hpp"
#include "heddle/policy/urgency.hpp"

namespace heddle::policy {
namespace {

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

  void occupy(Slot slot, Time duration) {
    const Gap gap = gaps_[slot.gap];
    const Gap before{gap.start, slot.start};
    const Gap after{slot.start + duration, gap.end};
    if (keep_empty_gaps_ || before.start < before.end) {
      gaps_[slot.gap] = before;
      if (keep_empty_gaps_ || after.start < after.end) gaps_.insert(gaps_.begin() + position(slot.gap + 1), after);
    } else if (after.start < after.end) {
      gaps_[slot.gap] = after;
    } else {
      gaps_.erase(gaps_.begin() + position(slot.gap));
    }
  }

 private:
  struct Gap {
    Time start;
    Time end;
  };

  [[nodiscard]] static std::ptrdiff_t position(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  std::vector<Gap> gaps_{{0, kMaxTime}};
  bool keep_empty_gaps_;  ///< gaps of no length matter only to tasks of no duration
};

/// Heterogeneous earliest finish time: tasks by descending rank, each on the worker that finishes it first, inserted
/// into the earliest gap that is long enough. Complexity O(tasks x workers x log gaps).
class HeftPlanner {
 public:
  HeftPlanner(const View& view, Rank rank)
      : view_(view),
        rank_(bottom_levels(view.instance(), rank)),
        ready_time_(view.graph().task_count(), 0),
        waiting_(view.graph().task_count(), 0),
        timelines_(view.platform().worker_count(), Timeline(has_empty_work())) {}

  [[nodiscard]] std::vector<Attempt> plan() {
    for (const TaskId task : view_.graph().tasks()) {
      waiting_[task] = static_cast<std::uint32_t>(view_.graph().predecessors(task).size());
      if (waiting_[task] == 0) push(task);
    }
    while (!available_.empty()) {
      const TaskId task = available_.top().task;
      available_.pop();
      place(task);
      for (const TaskId successor : view_.graph().successors(task)) {
        ready_time_[successor] = std::max(ready_time_[successor], attempts_.back().end);
        if (--waiting_[successor] == 0) push(successor);
      }
    }
    return std::move(attempts_);
  }

 private:
  /// A task whose predecessors are placed; the largest is the next: by rank, then by smaller number.
  struct Available {
    std::int64_t rank;
    TaskId task;
    bool operator<(const Available& other) const { return rank != other.rank ? rank < other.rank : task > other.task; }
  };

  [[nodiscard]] bool has_empty_work() const {
    const Costs& costs = view_.instance().costs;
    for (std::uint32_t row = 0; row < costs.row_count(); ++row) {
      if (std::ranges::find(costs.estimate_row(row), Time{0}) != costs.estimate_row(row).end()) return true;
    }
    return false;
  }

  void push(TaskId task) { available_.push({rank_[task], task}); }

  void place(TaskId task) {
    const Platform& platform = view_.platform();
    WorkerId best = kNone<WorkerId>;
    Timeline::Slot slot{};
    Time end = kMaxTime;
    for (const ClassId c : platform.classes()) {
      if (!view_.can_run(task, c)) continue;
      const Time duration = view_.estimate(task, c);
      for (const WorkerId worker : platform.workers(c)) {
        const Timeline::Slot candidate = timelines_[worker].earliest(ready_time_[task], duration);
        if (candidate.start + duration >= end) continue;
        best = worker;
        slot = candidate;
        end = candidate.start + duration;
      }
    }
    timelines_[best].occupy(slot, end - slot.start);
    attempts_.push_back({task, best, slot.start, end, Outcome::completed});
  }

  const View& view_;
  Table<TaskId, std::int64_t> rank_;
  Table<TaskId, Time> ready_time_;
  Table<TaskId, std::uint32_t> waiting_;
  Table<WorkerId, Timeline> timelines_;
  std::priority_queue<Available> available_;
  std::vector<Attempt> attempts_;
};

class Heft : public FollowPlan {
 public:
  explicit Heft(Rank rank) : rank_(rank) {}
  void start(const View& view) { FollowPlan::start(view, HeftPlanner(view, rank_).plan()); }

 private:
  Rank rank_;
};

}  // namespace

Entry heft() {
  return {.name = "heft",
          .summary = "Offline: tasks by bottom level, each where it finishes first, inserted into gaps",
          .publication = "Topcuoglu, Hariri and Wu 2002, doi:10.1109/71.993206",
          .options = {rank_option()},
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make = [](const Setup& setup) { return Policy(Heft(chosen_rank(setup.options))); }};
}

}  // namespace heddle::policy
