#include <algorithm>

#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/plans/list_planner.hpp"
#include "heddle/policy/kit/plans/offline_plans.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

__extension__ using Wide = __int128;

/// The optimistic cost table: how long a task's way to the exit takes at least after the task, if it runs on a class
/// and all that follows has the best worker to itself. Mean communication between workers; none between classes that
/// share a memory. Workers of one class have equal entries.
class OptimisticCosts {
 public:
  OptimisticCosts(const Instance& instance, const Communication& communication)
      : instance_(instance),
        communication_(communication),
        cost_(instance.graph.task_count() * instance.platform.class_count(), 0) {
    const auto order = instance.graph.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) tell_sources(order[i]);
  }

  [[nodiscard]] Time operator()(TaskId task, ClassId c) const { return cost_[at(task, c)]; }

  /// Tasks by their mean over the workers that can run them, compared exactly: larger ranks first.
  [[nodiscard]] Table<TaskId, std::int64_t> ranks() const {
    std::vector<Mean> means;
    for (const TaskId task : instance_.graph.tasks()) means.push_back(mean(task));
    std::sort(means.begin(), means.end());
    Table<TaskId, std::int64_t> rank(means.size());
    for (std::size_t i = 0; i < means.size(); ++i) {
      const bool tie = i > 0 && !(means[i - 1] < means[i]);
      rank[means[i].task] = tie ? rank[means[i - 1].task] : static_cast<std::int64_t>(i);
    }
    return rank;
  }

 private:
  struct Mean {
    Wide total;
    std::int64_t workers;
    TaskId task;
    bool operator<(const Mean& other) const { return total * other.workers < other.total * workers; }
  };

  [[nodiscard]] std::size_t at(TaskId task, ClassId c) const {
    return index(task) * instance_.platform.class_count() + index(c);
  }

  [[nodiscard]] Mean mean(TaskId task) const {
    Mean mean{0, 0, task};
    for (const ClassId c : instance_.platform.classes()) {
      if (!instance_.costs.can_run(task, c)) continue;
      const std::int64_t workers = instance_.platform.worker_count(c);
      mean.total += Wide{(*this)(task, c)} * workers;
      mean.workers += workers;
    }
    return mean;
  }

  void tell_sources(TaskId task) {
    for (const TaskId predecessor : instance_.graph.predecessors(task)) tell(predecessor, task, 0);
    for (const Communication::Inflow& flow : communication_.inflows(task)) {
      if (flow.producer != kNone<TaskId>) tell(flow.producer, task, communication_.mean(flow.bytes));
    }
  }

  /// The source, wherever it runs, is followed by the task where that is best.
  void tell(TaskId source, TaskId task, Time sending) {
    // What is longer is as good as impossible; the sums stay within 64 bits.
    constexpr Time kLongest = kMaxTime / 4;
    const Platform& platform = instance_.platform;
    for (const ClassId from : platform.classes()) {
      Time least = kLongest;
      for (const ClassId to : platform.classes()) {
        if (!instance_.costs.can_run(task, to)) continue;
        const Time sent = same_memory(from, to) ? 0 : sending;
        least = std::min(least, cost_[at(task, to)] + instance_.costs.estimate(task, to) + sent);
      }
      Time& cost = cost_[at(source, from)];
      cost = std::max(cost, least);
    }
  }

  [[nodiscard]] bool same_memory(ClassId a, ClassId b) const {
    if (a == b) return true;
    const Platform& platform = instance_.platform;
    if (platform.workers(a).empty() || platform.workers(b).empty()) return false;
    return platform.memory_of(*platform.workers(a).begin()) == platform.memory_of(*platform.workers(b).begin());
  }

  const Instance& instance_;
  const Communication& communication_;
  std::vector<Time> cost_;  ///< by task and class
};

}  // namespace

/// Predict earliest finish time: tasks by mean optimistic cost, each on the worker where its finish and the optimistic
/// cost of what follows are together least.
std::vector<Attempt> peft_plan(const Instance& instance) {
  const Communication communication(instance);
  const OptimisticCosts costs(instance, communication);
  ListPlanner planner(instance, communication);
  return planner.plan(costs.ranks(), [&](const ListPlanner& offers, TaskId task) {
    return offers.earliest_finish(task, [&](ClassId c) { return costs(task, c); });
  });
}

namespace {

class Peft : public FollowPlan {
 public:
  void start(const View& view) { FollowPlan::start(view, peft_plan(view.instance())); }
};

}  // namespace

Entry peft() {
  return {.name = "peft",
          .summary =
              "Offline: each task is placed where the sum of its finish time and the smallest cost of the tasks after "
              "it is smallest",
          .publication = "Arabnejad and Barbosa 2014, doi:10.1109/TPDS.2013.57",
          .complexity = "O(n w log n + e c^2)",
          .options = {},
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make = [](const Setup&) { return Policy(Peft()); }};
}

}  // namespace heddle::policy
