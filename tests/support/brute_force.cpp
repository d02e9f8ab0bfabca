#include "tests/support/brute_force.hpp"

#include <algorithm>
#include <vector>

namespace heddle::test {
namespace {

bool commute(const TaskGraph& graph, TaskId a, TaskId b) {
  for (const Access& x : graph.accesses(a)) {
    for (const Access& y : graph.accesses(b)) {
      if (x.data == y.data && x.mode == AccessMode::commute && y.mode == AccessMode::commute) return true;
    }
  }
  return false;
}

/// Depth-first search over the next task to place and its class; abandons what cannot beat the best schedule so far.
class BruteForce {
 public:
  explicit BruteForce(const Instance& instance)
      : instance_(instance),
        end_(instance.graph.task_count(), kNotPlaced),
        free_(instance.platform.worker_count(), 0) {}

  Time run() {
    place_next(0, 0);
    return best_;
  }

 private:
  static constexpr Time kNotPlaced = -1;

  void place_next(std::size_t placed, Time makespan) {
    if (makespan >= best_) return;
    if (placed == end_.size()) {
      best_ = makespan;
      return;
    }
    for (const TaskId task : end_.ids()) {
      if (end_[task] != kNotPlaced || !released(task)) continue;
      for (const ClassId c : instance_.platform.classes()) {
        if (instance_.costs.can_run(task, c)) place(task, c, placed, makespan);
      }
    }
  }

  void place(TaskId task, ClassId c, std::size_t placed, Time makespan) {
    const auto workers = instance_.platform.workers(c);
    const WorkerId worker = *std::ranges::min_element(workers, {}, [&](WorkerId w) { return free_[w]; });
    const Time free_before = free_[worker];
    end_[task] = std::max(free_before, earliest_start(task)) + instance_.costs.actual(task, c);
    free_[worker] = end_[task];
    place_next(placed + 1, std::max(makespan, end_[task]));
    free_[worker] = free_before;
    end_[task] = kNotPlaced;
  }

  [[nodiscard]] bool released(TaskId task) const {
    return std::ranges::none_of(instance_.graph.predecessors(task), [&](TaskId p) { return end_[p] == kNotPlaced; });
  }

  /// After its predecessors and after the placed tasks it must not overlap with.
  [[nodiscard]] Time earliest_start(TaskId task) const {
    Time start = 0;
    for (const TaskId other : end_.ids()) {
      if (end_[other] != kNotPlaced && commute(instance_.graph, task, other)) start = std::max(start, end_[other]);
    }
    for (const TaskId predecessor : instance_.graph.predecessors(task)) start = std::max(start, end_[predecessor]);
    return start;
  }

  const Instance& instance_;
  Table<TaskId, Time> end_;
  Table<WorkerId, Time> free_;
  Time best_ = kMaxTime;
};

}  // namespace

Time optimal_makespan(const Instance& instance) {
  return BruteForce(instance).run();
}

}  // namespace heddle::test
