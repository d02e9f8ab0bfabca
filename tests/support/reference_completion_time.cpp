#include "tests/support/reference_completion_time.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/bounds/area.hpp"
#include "tests/support/plain_queues.hpp"

namespace heddle::test {
namespace {

class PlainCompletionTime {
  __extension__ using Cost = __int128;

 public:
  explicit PlainCompletionTime(CompletionTimeRules rules) : rules_(rules) {}

  void start(const policy::View& view) {
    queues_.reset(view);
    urgency_.assign(view.graph().task_count(), 0);
    if (rules_.batch) urgency_ = bottom_levels(view.instance(), *rules_.batch);
    has_slack_ = view.graph().task_count() > view.platform().worker_count();
    if (!has_slack_ || (!rules_.places_with_slack && !rules_.passes_with_slack)) return;
    Instance believed = view.instance();
    believed.costs = believed.costs.as_estimated();
    duals_ = bounds::area_duals(believed);
    for (const TaskId task : view.graph().tasks()) open_.insert(task);
  }

  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    std::vector<TaskId> batch(tasks.begin(), tasks.end());
    std::ranges::stable_sort(batch, std::greater<>(), [this](TaskId task) { return urgency_[task]; });
    for (const TaskId task : batch) {
      if (rules_.counts_transfers && view.moves_data()) {
        arrived_.push_back(task);
      } else {
        place(view, task);
      }
    }
  }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    while (!arrived_.empty() && !queues_.fetches()) {
      place(view, arrived_.front());
      arrived_.erase(arrived_.begin());
    }
    return queues_.serve(view, [&](WorkerId worker, const std::vector<PlainQueues::Placed>& list) {
      const auto place = [&](const PlainQueues::Placed& placed) {
        return rules_.sorted_queues ? std::pair(-urgency_[placed.task], index(placed.task))
                                    : std::pair(Time{0}, std::size_t{0});
      };
      const TaskId first = std::ranges::min(list, {}, place).task;
      const Time wait = rules_.passes_with_slack && view.moves_data() ? share(view, first) : 0;
      const auto key = [&](const PlainQueues::Placed& placed) {
        const TaskId task = placed.task;
        const bool passes = wait > 0 && view.estimate(task, view.platform().class_of(worker)) <= wait;
        const bool may_be_next = !rules_.sorted_queues || urgency_[task] == urgency_[first] || passes;
        const std::int64_t misses = rules_.nearest_first ? absent_bytes(view, task, view.memory_of(worker)) : 0;
        return std::tuple(!may_be_next, misses, place(placed));
      };
      return std::ranges::min_element(list, {}, key) - list.begin();
    });
  }

 private:
  struct Offer {
    WorkerId worker = kNone<WorkerId>;
    Time cost = kMaxTime;
    Time work = 0;
  };

  void place(const policy::View& view, TaskId task) {
    Offer best = best_offer(view, task, std::nullopt);
    if (const Time wait = rules_.places_with_slack ? share(view, task) / 2 : 0; wait > 0) {
      std::map<ClassId, Offer> in_time;
      for (const ClassId c : view.platform().classes()) {
        const Offer offer = best_offer(view, task, c);
        if (offer.worker != kNone<WorkerId> && offer.cost <= best.cost + wait) in_time[c] = offer;
      }
      const auto worth = [&](ClassId c) { return units(c) * view.estimate(task, c); };
      const Cost least = worth(std::ranges::min(in_time | std::views::keys, {}, worth));
      std::erase_if(in_time,
                    [&](const auto& entry) { return worth(entry.first) - least > worth(entry.first) / (1 << 20); });
      best = std::ranges::min(in_time | std::views::values, {}, &Offer::cost);
    }
    open_.erase(task);
    queues_.append(view, best.worker, {task, best.work});
  }

  /// A task starts when the worker is free and its data is there; the transfers count besides, as the dual value of
  /// the links, each of which is thought to be shared by twice as many as there are memories beside ram.
  [[nodiscard]] Offer best_offer(const policy::View& view, TaskId task, std::optional<ClassId> only) const {
    const std::size_t sharers = 2 * (view.platform().memories().size() - 1);
    Offer best;
    for (const WorkerId worker : view.platform().workers()) {
      const ClassId c = view.platform().class_of(worker);
      if (!view.can_run(task, c) || (only && c != *only)) continue;
      const MemoryId memory = view.memory_of(worker);
      const Time transfers = rules_.counts_transfers ? plain_transfers(view, task, memory, sharers) : 0;
      const Time free = queues_.free_at(view, worker);
      const Time end = std::max(free, view.now() + transfers) + view.estimate(task, c);
      Time sum = free + view.estimate(task, c);
      if (rules_.hides_transfers) {
        sum = end;
      } else {
        sum += transfers;
      }
      sum += transfers * rules_.link_price / 1000;
      if (sum < best.cost) best = {worker, sum, end - free};
    }
    return best;
  }

  /// Of the time that the machine still needs at least, what the longest path from the task leaves, divided by the
  /// number of its tasks. All in parts of 2^30, as the dual values are rounded.
  [[nodiscard]] Time share(const policy::View& view, TaskId task) const {
    if (!has_slack_) return 0;
    Cost left = 0;
    for (const TaskId other : open_) {
      std::vector<Cost> costs;
      for (const ClassId c : view.platform().classes()) {
        if (view.can_run(other, c)) costs.push_back(units(c) * view.estimate(other, c));
      }
      left += std::ranges::min(costs);
    }
    for (const WorkerId worker : view.platform().workers()) {
      left += units(view.platform().class_of(worker)) * (queues_.free_at(view, worker) - view.now());
    }
    const auto [level, tasks] = longest_path(view, task);
    const Cost slack = left - Cost{level} * (1 << 30);
    return slack <= 0 ? 0 : static_cast<Time>(slack / (Cost{tasks} * (1 << 30)));
  }

  /// Its length, each task in its smallest duration, and how many tasks it has.
  [[nodiscard]] std::pair<Time, std::int64_t> longest_path(const policy::View& view, TaskId task) const {
    if (const auto known = paths_.find(task); known != paths_.end()) return known->second;
    std::pair<Time, std::int64_t> longest{0, 0};
    for (const TaskId next : view.graph().successors(task)) longest = std::max(longest, longest_path(view, next));
    Time least = kMaxTime;
    for (const ClassId c : view.platform().classes()) {
      if (view.can_run(task, c)) least = std::min(least, view.estimate(task, c));
    }
    return paths_[task] = {longest.first + least, longest.second + 1};
  }

  [[nodiscard]] Cost units(ClassId c) const { return std::llround(duals_[c] * (1 << 30)); }

  [[nodiscard]] static std::int64_t absent_bytes(const policy::View& view, TaskId task, MemoryId memory) {
    std::int64_t bytes = 0;
    for (const Access access : view.graph().accesses(task)) {
      if (reads(access.mode) && !view.has(access.data, memory)) bytes += view.graph().datum(access.data).bytes;
    }
    return bytes;
  }

  CompletionTimeRules rules_;
  Table<TaskId, std::int64_t> urgency_;
  std::vector<TaskId> arrived_;  ///< each is placed when the data of those before has been asked for
  PlainQueues queues_;
  bool has_slack_ = false;
  Table<ClassId, double> duals_;
  std::set<TaskId> open_;  ///< not placed yet
  mutable std::map<TaskId, std::pair<Time, std::int64_t>> paths_;
};

}  // namespace

policy::Policy reference_completion_time(CompletionTimeRules rules) {
  return PlainCompletionTime(rules);
}

}  // namespace heddle::test
