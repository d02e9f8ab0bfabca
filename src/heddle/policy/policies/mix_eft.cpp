#include <algorithm>
#include <array>
#include <deque>
#include <queue>
#include <utility>
#include <vector>

#include "heddle/policy/kit/placement/online_allocation.hpp"
#include "heddle/policy/kit/placement/quick_allocation.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// What Quick Allocation would need for the part of the graph that is known so far: list scheduling in the order in
/// which tasks become ready there, on the estimates.
class QuickAllocationAlone {
 public:
  void start(const View& view) {
    waiting_.assign(view.graph().task_count(), 0);
    known_.assign(view.graph().task_count(), 0);
  }

  /// Predecessors come first. A task that is known already changes nothing.
  void discover(TaskId task) {
    if (std::exchange(known_[task], 1) == 0) tasks_.push_back(task);
  }

  /// Time O(tasks log workers).
  [[nodiscard]] Time makespan(const View& view) {
    for (const ClassId c : view.platform().classes()) idle_[index(c)] = view.platform().worker_count(c);
    for (const TaskId task : tasks_) {
      waiting_[task] = static_cast<std::uint32_t>(view.graph().predecessors(task).size());
      if (waiting_[task] == 0) ready_[index(quick_allocation(view, task))].push_back(task);
    }
    Time now = 0;
    begin_tasks(view, now);
    while (!running_.empty()) {
      now = running_.top().end;
      complete_tasks(view, now);
      begin_tasks(view, now);
    }
    return now;
  }

 private:
  struct Running {
    Time end;
    TaskId task;
    ClassId on;

    bool operator<(const Running& other) const {  // the standard heap's top is the largest
      return std::pair(end, task) > std::pair(other.end, other.task);
    }
  };

  void begin_tasks(const View& view, Time now) {
    for (const ClassId c : view.platform().classes()) {
      auto& queue = ready_[index(c)];
      for (; idle_[index(c)] > 0 && !queue.empty(); queue.pop_front()) {
        running_.push({now + view.estimate(queue.front(), c), queue.front(), c});
        --idle_[index(c)];
      }
    }
  }

  void complete_tasks(const View& view, Time now) {
    released_.clear();
    for (; !running_.empty() && running_.top().end == now; running_.pop()) {
      ++idle_[index(running_.top().on)];
      for (const TaskId successor : view.graph().successors(running_.top().task)) {
        if (known_[successor] != 0 && --waiting_[successor] == 0) released_.push_back(successor);
      }
    }
    std::ranges::sort(released_);
    for (const TaskId task : released_) ready_[index(quick_allocation(view, task))].push_back(task);
  }

  std::vector<TaskId> tasks_;  ///< known ones
  Table<TaskId, char> known_;
  // Of one simulation; empty between two:
  Table<TaskId, std::uint32_t> waiting_;
  std::array<std::deque<TaskId>, 2> ready_;
  std::array<std::uint32_t, 2> idle_{};
  std::priority_queue<Running> running_;
  std::vector<TaskId> released_;
};

/// Earliest finish time as long as its schedule is at most lambda times as long as the one that Quick Allocation would
/// have made for the tasks known so far; from then on Quick Allocation. So at most (lambda + 1) times its guarantee:
/// until the change lambda times, and what comes after it takes no longer than if it came alone. The default of lambda
/// is ours.
///
/// Quick Allocation is simulated again only when the schedule has grown past lambda times the longest it needed so far,
/// so its makespan counts as that maximum: list scheduling may need less for more tasks, the guarantee does not.
class MixEft {
 public:
  explicit MixEft(double lambda) : lambda_(lambda) {}

  void start(const View& view) { quick_.start(view); }

  ClassId operator()(const View& view, const WorkerQueues& queues, TaskId task) {
    if (changed_) return quick_allocation(view, task);
    quick_.discover(task);
    const auto [end, earliest] = earliest_finish(view, queues, task);
    if (end == kMaxTime) return earliest;  // no worker is there at the moment
    if (!tolerable(end)) quick_makespan_ = std::max(quick_makespan_, quick_.makespan(view));
    changed_ = !tolerable(end);
    return changed_ ? quick_allocation(view, task) : earliest;
  }

 private:
  [[nodiscard]] bool tolerable(Time end) const {
    return static_cast<double>(end) <= lambda_ * static_cast<double>(quick_makespan_);
  }

  /// When the task would end on the class that ends it first, and that class; ties to the class listed first.
  [[nodiscard]] static std::pair<Time, ClassId> earliest_finish(const View& view, const WorkerQueues& queues,
                                                                TaskId task) {
    std::pair<Time, ClassId> best{kMaxTime, quick_allocation(view, task)};
    for (const ClassId c : view.platform().classes()) {
      const WorkerId worker = queues.earliest_free(view, c);
      if (worker == kNone<WorkerId> || !view.can_run(task, c)) continue;
      best = std::min(best, std::pair(queues.expected_free(view, worker) + view.estimate(task, c), c));
    }
    return best;
  }

  double lambda_;
  QuickAllocationAlone quick_;
  Time quick_makespan_ = 0;  ///< the longest that Quick Allocation needed in its simulations
  bool changed_ = false;
};

}  // namespace

Entry mix_eft() {
  return {.name = "mix-eft",
          .summary =
              "Earliest finish time, until Quick Allocation would have been much faster; from then on Quick Allocation",
          .publication = "Canon, Marchal, Simon and Vivien 2018, doi:10.1007/978-3-319-96983-1_14",
          .complexity = "O(e + n w), and O(e + n log w) for each simulation of Quick Allocation, usually a few dozen",
          .options = {number(
              "lambda", "2", 0, 1e6,
              "switch to Quick Allocation when the schedule becomes this many times as long as Quick Allocation's")},
          .needs = [](const Options&) { return Needs{.two_classes = true}; },
          .make = [](const Setup& setup) { return Policy(OnlineAllocation(MixEft(setup.options.number("lambda")))); }};
}

}  // namespace heddle::policy
