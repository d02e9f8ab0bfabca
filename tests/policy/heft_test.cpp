#include <gtest/gtest.h>

#include "heddle/policy/common/offline_plans.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {
namespace {

/// HEFT's plan in the plainest way: every gap between the placed attempts of every worker is tried.
class PlainHeft {
 public:
  explicit PlainHeft(const Instance& instance)
      : in_(instance),
        communication_(instance),
        placed_(instance.platform.worker_count()),
        end_(instance.graph.task_count(), -1),
        worker_(instance.graph.task_count(), kNone<WorkerId>) {}

  Time makespan(Rank rank) { return makespan(bottom_levels(in_, rank, communication_)); }

  Time makespan(const Table<TaskId, std::int64_t>& rank) {
    Time last = 0;
    for (std::size_t count = 0; count < in_.graph.task_count(); ++count) {
      last = std::max(last, place(next(rank)));
    }
    return last;
  }

 private:
  [[nodiscard]] TaskId next(const Table<TaskId, std::int64_t>& rank) const {
    TaskId best = kNone<TaskId>;
    for (const TaskId task : in_.graph.tasks()) {
      bool available = end_[task] < 0;
      for (const TaskId predecessor : in_.graph.predecessors(task)) available = available && end_[predecessor] >= 0;
      if (available && (best == kNone<TaskId> || rank[task] > rank[best])) best = task;
    }
    return best;
  }

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

  Time place(TaskId task) {
    WorkerId best = kNone<WorkerId>;
    Time best_start = 0;
    Time best_end = kMaxTime;
    for (const WorkerId worker : in_.platform.workers()) {
      const Time duration = in_.costs.estimate(task, in_.platform.class_of(worker));
      if (duration == kCannotRun) continue;
      const Time start = earliest(worker, ready_on(task, worker), duration);
      if (start + duration >= best_end) continue;
      best = worker;
      best_start = start;
      best_end = start + duration;
    }
    auto& intervals = placed_[best];
    intervals.insert(std::ranges::upper_bound(intervals, std::pair(best_start, best_end)), {best_start, best_end});
    worker_[task] = best;
    return end_[task] = best_end;
  }

  const Instance& in_;
  Communication communication_;
  Table<WorkerId, std::vector<std::pair<Time, Time>>> placed_;
  Table<TaskId, Time> end_;
  Table<TaskId, WorkerId> worker_;
};

Time makespan(const std::vector<Attempt>& plan) {
  Time last = 0;
  for (const Attempt& attempt : plan) last = std::max(last, attempt.end);
  return last;
}

TEST(Heft, MeetsThePlainPlan) {
  Random random(31);
  for (int round = 0; round < 1500; ++round) {
    RandomShape shape{.max_tasks = 40};
    shape.zero_durations = false;
    const Instance instance = random_instance(random, shape);
    for (const Rank rank : {Rank::min, Rank::avg}) {
      const policy::Spec spec(rank == Rank::min ? "heft:rank=min" : "heft:rank=avg");
      ASSERT_EQ(sim::simulate(instance, spec).makespan(), PlainHeft(instance).makespan(rank));
    }
  }
}

TEST(Heft, MeetsThePlainPlanWhereDataMoves) {
  Random random(32);
  for (int round = 0; round < 1000; ++round) {
    RandomShape shape{.max_tasks = 40, .data = true};
    shape.zero_durations = false;
    const Instance instance = random_instance(random, shape);
    for (const Rank rank : {Rank::min, Rank::avg}) {
      ASSERT_EQ(makespan(policy::heft_plan(instance, rank)), PlainHeft(instance).makespan(rank));
    }
  }
}

// The classic of insertion: the short task fills the gap that the long chain leaves on the fast worker.
TEST(Heft, InsertsIntoAGap) {
  TaskGraphBuilder builder;
  const TypeId work = builder.add_type("work");
  const TaskId a = builder.add_task("a", work);
  const TaskId b = builder.add_task("b", work);
  const TaskId c = builder.add_task("c", work);
  builder.add_task("filler", work);
  builder.add_edge(a, b);
  builder.add_edge(b, c);
  TaskGraph graph = builder.build();
  Platform platform({{.name = "slow", .workers = 1}, {.name = "fast", .workers = 1}});
  Costs costs(graph, 2);
  const auto set = [&](TaskId task, Time slow, Time fast) {
    const std::uint32_t row = costs.own_row(task);
    costs.set_actual(row, make_id<ClassId>(0), slow);
    costs.set_actual(row, make_id<ClassId>(1), fast);
  };
  set(a, kCannotRun, 10);
  set(b, 10, kCannotRun);
  set(c, kCannotRun, 10);
  set(make_id<TaskId>(3), kCannotRun, 9);
  const Instance instance = make_instance("gap", std::move(graph), std::move(platform), std::move(costs));
  const Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
  EXPECT_EQ(schedule.makespan(), 30);
  EXPECT_EQ(schedule.attempts[1], (Attempt{make_id<TaskId>(3), make_id<WorkerId>(1), 10, 19, Outcome::completed}));
}

}  // namespace
}  // namespace heddle::test
