#include "tests/support/reference_plans.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "heddle/model/levels.hpp"

namespace heddle::test {
namespace {

__extension__ using Exact = __int128;

/// A task and one that waits for it, or that reads what it wrote.
struct Arc {
  TaskId from;
  TaskId to;
  Time sending;  ///< the mean duration of what the first sends; none where the second only waits
};

class PlainPlanner {
 public:
  explicit PlainPlanner(const Instance& instance)
      : in_(instance),
        communication_(instance),
        placed_(instance.platform.worker_count()),
        end_(instance.graph.task_count(), -1),
        worker_(instance.graph.task_count(), kNone<WorkerId>) {
    for (const TaskId task : in_.graph.tasks()) {
      for (const TaskId before : in_.graph.predecessors(task)) arcs_.push_back({before, task, 0});
      for (const Communication::Inflow& flow : communication_.inflows(task)) {
        if (flow.producer == kNone<TaskId>) continue;
        arcs_.push_back({flow.producer, task, communication_.mean(flow.bytes)});
      }
    }
  }

  /// Tasks by descending rank, each where `cost` of its attempt is smallest; kMaxTime: not there.
  template <class Value>
  std::vector<Attempt> plan(const Table<TaskId, Value>& rank, const std::function<Time(const Attempt&)>& cost) {
    std::vector<Attempt> attempts;
    while (attempts.size() < in_.graph.task_count()) {
      TaskId next = kNone<TaskId>;
      for (const TaskId task : in_.graph.tasks()) {
        const bool available =
            end_[task] < 0 &&
            std::ranges::all_of(in_.graph.predecessors(task), [&](TaskId before) { return end_[before] >= 0; });
        if (available && (next == kNone<TaskId> || rank[task] > rank[next])) next = task;
      }
      attempts.push_back(place(next, cost));
    }
    return attempts;
  }

  [[nodiscard]] const std::vector<Arc>& arcs() const { return arcs_; }
  [[nodiscard]] const Communication& communication() const { return communication_; }

 private:
  [[nodiscard]] Time earliest(WorkerId worker, Time ready, Time duration) const {
    Time start = ready;
    for (const auto& [begin, end] : placed_[worker]) {
      if (start + duration <= begin) break;
      start = std::max(start, end);
    }
    return start;
  }

  [[nodiscard]] Time ready_on(TaskId task, WorkerId worker) const {
    Time ready = 0;
    for (const TaskId predecessor : in_.graph.predecessors(task)) ready = std::max(ready, end_[predecessor]);
    for (const Communication::Inflow& flow : communication_.inflows(task)) {
      const bool home = flow.producer == kNone<TaskId>;
      const MemoryId from = home ? flow.home : in_.platform.memory_of(worker_[flow.producer]);
      const Time trip = communication_.duration(from, in_.platform.memory_of(worker), flow.bytes);
      ready = std::max(ready, (home ? 0 : end_[flow.producer]) + trip);
    }
    return ready;
  }

  Attempt place(TaskId task, const std::function<Time(const Attempt&)>& cost) {
    Attempt best{};
    Time least = kMaxTime;
    for (const WorkerId worker : in_.platform.workers()) {
      const Time duration = in_.costs.estimate(task, in_.platform.class_of(worker));
      if (duration == kCannotRun) continue;
      const Time start = earliest(worker, ready_on(task, worker), duration);
      const Attempt offer{task, worker, start, start + duration, Outcome::completed};
      if (cost(offer) >= least) continue;
      least = cost(offer);
      best = offer;
    }
    auto& intervals = placed_[best.worker];
    intervals.insert(std::ranges::upper_bound(intervals, std::pair(best.start, best.end)), {best.start, best.end});
    worker_[task] = best.worker;
    end_[task] = best.end;
    return best;
  }

  const Instance& in_;
  Communication communication_;
  std::vector<Arc> arcs_;
  Table<WorkerId, std::vector<std::pair<Time, Time>>> placed_;
  Table<TaskId, Time> end_;
  Table<TaskId, WorkerId> worker_;
};

std::vector<WorkerId> able_workers(const Instance& instance, TaskId task) {
  std::vector<WorkerId> able;
  for (const WorkerId worker : instance.platform.workers()) {
    if (instance.costs.can_run(task, instance.platform.class_of(worker))) able.push_back(worker);
  }
  return able;
}

/// A fraction, compared exactly.
struct Fraction {
  Exact over;
  Exact under;
  bool operator==(const Fraction& other) const { return over * other.under == other.over * under; }
  bool operator>(const Fraction& other) const { return over * other.under > other.over * under; }
};
Fraction operator+(const Fraction& a, const Fraction& b) {
  const Fraction sum{a.over * b.under + b.over * a.under, a.under * b.under};
  Exact divisor = sum.under;
  for (Exact rest = sum.over; rest != 0;) divisor = std::exchange(rest, divisor % rest);
  return {sum.over / divisor, sum.under / divisor};
}

Fraction mean_duration(const Instance& instance, TaskId task) {
  Fraction mean{0, 1};
  const std::vector<WorkerId> able = able_workers(instance, task);
  for (const WorkerId worker : able) mean.over += instance.costs.estimate(task, instance.platform.class_of(worker));
  mean.under = static_cast<Exact>(able.size());
  return mean;
}

/// The optimistic cost table: from a task on a worker, the least time that the longest way to an exit takes after it.
Table<TaskId, Table<WorkerId, Time>> optimistic_costs(const Instance& instance, const PlainPlanner& planner) {
  const Platform& platform = instance.platform;
  Table<TaskId, Table<WorkerId, Time>> cost(instance.graph.task_count(),
                                            Table<WorkerId, Time>(platform.worker_count(), 0));
  const auto order = instance.graph.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (const Arc& arc : planner.arcs()) {
      if (arc.from != *task) continue;
      for (const WorkerId here : platform.workers()) {
        Time least = kMaxTime;
        for (const WorkerId there : able_workers(instance, arc.to)) {
          const bool apart = platform.memory_of(here) != platform.memory_of(there);
          least = std::min(least, cost[arc.to][there] + instance.costs.estimate(arc.to, platform.class_of(there)) +
                                      (apart ? arc.sending : 0));
        }
        cost[arc.from][here] = std::max(cost[arc.from][here], least);
      }
    }
  }
  return cost;
}

}  // namespace

std::vector<Attempt> reference_heft(const Instance& instance, Rank rank) {
  PlainPlanner planner(instance);
  return planner.plan(bottom_levels(instance, rank, planner.communication()),
                      [](const Attempt& offer) { return offer.end; });
}

std::vector<Attempt> reference_cpop(const Instance& instance) {
  PlainPlanner planner(instance);
  const Fraction nothing{0, 1};
  Table<TaskId, Fraction> upward(instance.graph.task_count(), nothing);
  Table<TaskId, Fraction> downward(instance.graph.task_count(), nothing);
  const auto grow = [](Fraction& rank, const Fraction& other) {
    if (other > rank) rank = other;
  };
  const auto order = instance.graph.topological_order();
  for (const TaskId task : order) {
    for (const Arc& arc : planner.arcs()) {
      if (arc.to != task) continue;
      grow(downward[task], downward[arc.from] + mean_duration(instance, arc.from) + Fraction{arc.sending, 1});
    }
  }
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (const Arc& arc : planner.arcs()) {
      if (arc.from == *task) grow(upward[*task], upward[arc.to] + Fraction{arc.sending, 1});
    }
    upward[*task] = upward[*task] + mean_duration(instance, *task);
  }
  Table<TaskId, Fraction> through(instance.graph.task_count(), nothing);
  for (const TaskId task : through.ids()) through[task] = upward[task] + downward[task];

  std::vector<TaskId> critical;
  const auto most = [&](const auto& tasks) {
    TaskId best = kNone<TaskId>;
    for (const TaskId task : tasks) {
      if (best == kNone<TaskId> || through[task] > through[best]) best = task;
    }
    return best;
  };
  std::vector<TaskId> entries;
  for (const TaskId task : instance.graph.tasks()) {
    if (instance.graph.predecessors(task).empty()) entries.push_back(task);
  }
  for (TaskId task = most(entries); task != kNone<TaskId>; task = most(instance.graph.successors(task))) {
    critical.push_back(task);
  }
  WorkerId on = kNone<WorkerId>;
  Time least = kMaxTime;
  for (const WorkerId worker : instance.platform.workers()) {
    const ClassId c = instance.platform.class_of(worker);
    if (!std::ranges::all_of(critical, [&](TaskId task) { return instance.costs.can_run(task, c); })) continue;
    Time sum = 0;
    for (const TaskId task : critical) sum += instance.costs.estimate(task, c);
    if (sum < least) {
      least = sum;
      on = worker;
    }
  }
  return planner.plan(through, [&](const Attempt& offer) {
    const bool is_critical = std::ranges::find(critical, offer.task) != critical.end();
    return is_critical && on != kNone<WorkerId> && offer.worker != on ? kMaxTime : offer.end;
  });
}

std::vector<Attempt> reference_peft(const Instance& instance) {
  PlainPlanner planner(instance);
  const auto cost = optimistic_costs(instance, planner);
  Table<TaskId, Fraction> rank(instance.graph.task_count(), Fraction{0, 1});
  for (const TaskId task : instance.graph.tasks()) {
    const std::vector<WorkerId> able = able_workers(instance, task);
    for (const WorkerId worker : able) rank[task].over += cost[task][worker];
    rank[task].under = static_cast<Exact>(able.size());
  }
  return planner.plan(rank, [&](const Attempt& offer) { return offer.end + cost[offer.task][offer.worker]; });
}

}  // namespace heddle::test
