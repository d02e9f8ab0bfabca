#include "tests/support/reference_heteroprio_dep.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "tests/support/plain_factors.hpp"

namespace heddle::test {
namespace {

struct Run {
  TaskId task = kNone<TaskId>;
  Time start = 0;
  Time end = 0;
};

class Reference {
 public:
  Reference(const Instance& instance, SpoliationOrder order)
      : in_(instance),
        order_(order),
        queue_(QueueOrder{this}),
        waiting_(in_.graph.task_count()),
        running_(in_.platform.worker_count()) {
    level_.resize(in_.graph.task_count());
    const auto tasks = in_.graph.topological_order();
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
      Time below = 0;
      for (TaskId successor : in_.graph.successors(*task)) below = std::max(below, level_[index(successor)]);
      level_[index(*task)] = below + std::min(cpu(*task), gpu(*task));
    }
  }

  std::vector<Attempt> run() {
    for (TaskId task : in_.graph.tasks()) {
      waiting_[index(task)] = in_.graph.predecessors(task).size();
      if (waiting_[index(task)] == 0) queue_.insert(task);
    }
    act();
    while (!ends_.empty()) {
      now_ = ends_.begin()->first;
      while (!ends_.empty() && ends_.begin()->first == now_) complete(ends_.begin()->second);
      act();
    }
    return attempts_;
  }

 private:
  Time cpu(TaskId task) const { return in_.costs.estimate(task, make_id<ClassId>(0)); }
  Time gpu(TaskId task) const { return in_.costs.estimate(task, make_id<ClassId>(1)); }
  Time duration(TaskId task, bool on_gpu) const { return on_gpu ? gpu(task) : cpu(task); }
  bool is_gpu(WorkerId worker) const { return index(in_.platform.class_of(worker)) == 1; }

  struct QueueOrder {
    const Reference* self;
    bool operator()(TaskId a, TaskId b) const {
      const int factors = compare_factors(self->in_.costs, a, b);
      if (factors != 0) return factors > 0;
      const Time level_a = self->level_[index(a)];
      const Time level_b = self->level_[index(b)];
      if (level_a != level_b) return self->cpu(a) >= self->gpu(a) ? level_a > level_b : level_a < level_b;
      return a < b;
    }
  };

  std::optional<WorkerId> idle(bool on_gpu) const {
    for (WorkerId worker : in_.platform.workers(make_id<ClassId>(on_gpu ? 1 : 0))) {
      if (running_[index(worker)].task == kNone<TaskId>) return worker;
    }
    return std::nullopt;
  }

  void begin(TaskId task, WorkerId worker) {
    const Time end = now_ + duration(task, is_gpu(worker));
    running_[index(worker)] = {task, now_, end};
    ends_.insert({end, worker});
  }

  void stop(WorkerId worker, Outcome outcome) {
    const Run run = running_[index(worker)];
    attempts_.push_back({run.task, worker, run.start, now_, outcome});
    ends_.erase({run.end, worker});
    running_[index(worker)] = {};
  }

  void complete(WorkerId worker) {
    const TaskId task = running_[index(worker)].task;
    stop(worker, Outcome::completed);
    for (TaskId successor : in_.graph.successors(task)) {
      if (--waiting_[index(successor)] == 0) queue_.insert(successor);
    }
  }

  void act() {
    while (act_once()) {
    }
  }

  bool act_once() {
    for (bool on_gpu : {true, false}) {
      const std::optional<WorkerId> worker = idle(on_gpu);
      if (worker && serve(*worker, on_gpu)) return true;
    }
    return false;
  }

  bool serve(WorkerId worker, bool on_gpu) {
    std::optional<TaskId> task;
    if (!queue_.empty()) task = on_gpu ? *queue_.begin() : *queue_.rbegin();
    const bool suits = task && duration(*task, on_gpu) <= duration(*task, !on_gpu);
    if (!suits) {
      if (const std::optional<WorkerId> victim = find_victim(on_gpu)) {
        const TaskId stolen = running_[index(*victim)].task;
        stop(*victim, Outcome::aborted);
        begin(stolen, worker);
        return true;
      }
    }
    if (!task) return false;
    WorkerId target = worker;
    if (!suits) {
      if (const std::optional<WorkerId> other = idle(!on_gpu)) {
        target = *other;
      } else if (duration(*task, on_gpu) == kCannotRun) {
        return false;
      }
    }
    queue_.erase(*task);
    begin(*task, target);
    return true;
  }

  std::optional<WorkerId> find_victim(bool on_gpu) const {
    std::optional<WorkerId> best;
    for (WorkerId worker : in_.platform.workers(make_id<ClassId>(on_gpu ? 0 : 1))) {
      const Run& run = running_[index(worker)];
      if (run.task == kNone<TaskId>) continue;
      const Time here = duration(run.task, on_gpu);
      if (here >= duration(run.task, !on_gpu) || now_ + here >= run.end) continue;
      if (!best || better(run, running_[index(*best)], on_gpu)) best = worker;
    }
    return best;
  }

  bool better(const Run& a, const Run& b, bool on_gpu) const {
    if (order_ == SpoliationOrder::latest && a.end != b.end) return a.end > b.end;
    if (order_ == SpoliationOrder::acceleration) {
      const int factors = compare_factors(in_.costs, a.task, b.task);
      if (factors != 0) return on_gpu ? factors > 0 : factors < 0;
    }
    const Time level_a = level_[index(a.task)];
    const Time level_b = level_[index(b.task)];
    if (level_a != level_b) return level_a > level_b;
    return a.task < b.task;
  }

  const Instance& in_;
  SpoliationOrder order_;
  Time now_ = 0;
  std::vector<Time> level_;
  std::set<TaskId, QueueOrder> queue_;
  std::vector<std::size_t> waiting_;
  std::vector<Run> running_;
  std::set<std::pair<Time, WorkerId>> ends_;
  std::vector<Attempt> attempts_;
};

}  // namespace

std::vector<Attempt> reference_heteroprio_dep(const Instance& instance, SpoliationOrder order) {
  return Reference(instance, order).run();
}

}  // namespace heddle::test
