#include "tests/support/reference_allocation.hpp"

#include <optional>

#include "tests/support/plain_loop.hpp"

namespace heddle::test {
namespace {

/// The base: a rule gives each ready task a class, and there it goes to the worker that is free first.
class PlainAllocation : public PlainLoop {
 protected:
  explicit PlainAllocation(const Instance& instance)
      : PlainLoop(instance), queue_(instance.platform.worker_count(), std::vector<TaskId>()) {}

  virtual ClassId allocate(TaskId task) = 0;

  [[nodiscard]] Time free_at(WorkerId worker) const {
    const Run* run = running_on(worker);
    Time free = run == nullptr ? now_ : expected_end(*run);
    for (const TaskId task : queue_[worker]) free += duration(task, in_.platform.class_of(worker));
    return free;
  }
  [[nodiscard]] WorkerId first_free(ClassId c) const {
    std::optional<WorkerId> first;
    for (const WorkerId worker : in_.platform.workers(c)) {
      if (!first || free_at(worker) < free_at(*first)) first = worker;
    }
    return first.value();
  }
  [[nodiscard]] Time completion(TaskId task, ClassId c) const {
    return can_run(task, c) ? free_at(first_free(c)) + duration(task, c) : kMaxTime;
  }

  /// p / sqrt(m) <= q / sqrt(n), both sides squared.
  [[nodiscard]] ClassId quick(TaskId task) const {
    if (!can_run(task, kGpu)) return kCpu;
    if (!can_run(task, kCpu)) return kGpu;
    const Time p = duration(task, kCpu);
    const Time q = duration(task, kGpu);
    return p * p * in_.platform.worker_count(kGpu) <= q * q * in_.platform.worker_count(kCpu) ? kCpu : kGpu;
  }

 private:
  void become_ready(TaskId task) override { queue_[first_free(allocate(task))].push_back(task); }

  bool act_once() override {
    for (std::size_t c = in_.platform.class_count(); c-- > 0;) {
      for (const WorkerId worker : in_.platform.workers(make_id<ClassId>(c))) {
        if (running_on(worker) != nullptr || queue_[worker].empty()) continue;
        begin(queue_[worker].front(), worker);
        queue_[worker].erase(queue_[worker].begin());
        return true;
      }
    }
    return false;
  }

  Table<WorkerId, std::vector<TaskId>> queue_;
};

class PlainQa : public PlainAllocation {
 public:
  explicit PlainQa(const Instance& instance) : PlainAllocation(instance) {}

 private:
  ClassId allocate(TaskId task) override { return quick(task); }
};

class PlainErLs : public PlainAllocation {
 public:
  PlainErLs(const Instance& instance, bool relative) : PlainAllocation(instance), relative_(relative) {}

 private:
  ClassId allocate(TaskId task) override {
    if (!can_run(task, kCpu) || !can_run(task, kGpu)) return quick(task);
    return duration(task, kCpu) > completion(task, kGpu) - (relative_ ? now_ : 0) ? kGpu : quick(task);
  }

  bool relative_;
};

class PlainLists : public PlainLoop {
 public:
  PlainLists(const Instance& instance, const Table<TaskId, ClassId>& allocation, bool by_level)
      : PlainLoop(instance), allocation_(allocation), known_(instance.graph.task_count(), true) {
    if (!by_level) return;
    level_.assign(in_.graph.task_count(), 0);
    const auto order = in_.graph.topological_order();
    for (auto task = order.rbegin(); task != order.rend(); ++task) {
      for (const TaskId next : in_.graph.successors(*task)) level_[*task] = std::max(level_[*task], level_[next]);
      level_[*task] += duration(*task, allocation_[*task]);
    }
  }

  /// In the order of arrival, as if only the known tasks were there.
  PlainLists(const Instance& instance, const Table<TaskId, ClassId>& allocation, const Table<TaskId, bool>& known)
      : PlainLoop(instance), allocation_(allocation), known_(known) {}

 private:
  [[nodiscard]] bool takes_part(TaskId task) const override { return known_[task]; }

  bool act_once() override {
    for (std::size_t c = in_.platform.class_count(); c-- > 0;) {
      const std::optional<WorkerId> worker = idle(make_id<ClassId>(c));
      std::optional<TaskId> best;
      for (const TaskId task : ready_) {
        if (index(allocation_[task]) == c && (!best || is_before(task, *best))) best = task;
      }
      if (!worker || !best) continue;
      begin(*best, *worker);
      return true;
    }
    return false;
  }

  /// Of two ready tasks; `ready_` itself is in the order of arrival.
  [[nodiscard]] bool is_before(TaskId a, TaskId b) const {
    if (level_.empty()) return false;
    return level_[a] != level_[b] ? level_[a] > level_[b] : a < b;
  }

  Table<TaskId, ClassId> allocation_;
  Table<TaskId, Time> level_;  ///< empty for the order of arrival
  Table<TaskId, bool> known_;
};

class PlainMixEft : public PlainAllocation {
 public:
  PlainMixEft(const Instance& instance, double lambda)
      : PlainAllocation(instance), believed_(instance), lambda_(lambda), known_(instance.graph.task_count(), false) {
    believed_.costs = instance.costs.as_estimated();
  }

 private:
  ClassId allocate(TaskId task) override {
    known_[task] = true;
    const ClassId earliest = completion(task, kCpu) <= completion(task, kGpu) ? kCpu : kGpu;
    if (is_too_long(completion(task, earliest))) {
      Table<TaskId, ClassId> on(in_.graph.task_count());
      for (const TaskId one : on.ids()) on[one] = quick(one);
      for (const Attempt& attempt : PlainLists(believed_, on, known_).run()) {
        quick_needs_ = std::max(quick_needs_, attempt.end);
      }
    }
    if (is_too_long(completion(task, earliest))) changed_ = true;
    return changed_ ? quick(task) : earliest;
  }
  [[nodiscard]] bool is_too_long(Time end) const {
    return static_cast<double>(end) > lambda_ * static_cast<double>(quick_needs_);
  }

  Instance believed_;
  double lambda_;
  Table<TaskId, bool> known_;
  Time quick_needs_ = 0;
  bool changed_ = false;
};

}  // namespace

std::vector<Attempt> reference_qa(const Instance& instance) {
  return PlainQa(instance).run();
}

std::vector<Attempt> reference_er_ls(const Instance& instance, bool relative) {
  return PlainErLs(instance, relative).run();
}

std::vector<Attempt> reference_mix_eft(const Instance& instance, double lambda) {
  return PlainMixEft(instance, lambda).run();
}

std::vector<Attempt> reference_lists(const Instance& instance, const Table<TaskId, ClassId>& allocation,
                                     bool by_level) {
  return PlainLists(instance, allocation, by_level).run();
}

}  // namespace heddle::test
