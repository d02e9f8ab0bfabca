#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

/// A simulator in the plainest way, for second versions of policies: one loop over instants, which looks at every task
/// and every worker each time. Transfers are free, durations without noise. Derived classes decide what happens at an
/// instant. The instance must outlive the loop. It shares nothing with the real simulator but the model.
class PlainLoop {
 public:
  explicit PlainLoop(const Instance& instance) : in_(instance), waiting_(instance.graph.task_count(), 0) {}
  PlainLoop(const PlainLoop&) = delete;
  PlainLoop& operator=(const PlainLoop&) = delete;
  virtual ~PlainLoop() = default;

  /// The attempts of the tasks that take part, in the order in which they end.
  std::vector<Attempt> run() {
    for (const TaskId task : in_.graph.tasks()) {
      waiting_[task] = in_.graph.predecessors(task).size();
      if (waiting_[task] == 0 && takes_part(task)) become_ready(task);
    }
    act();
    while (!running_.empty()) {
      now_ = std::ranges::min(running_, {}, &Run::end).end;
      complete();
      act();
    }
    return attempts_;
  }

 protected:
  static constexpr ClassId kCpu = make_id<ClassId>(0);
  static constexpr ClassId kGpu = make_id<ClassId>(1);

  struct Run {
    TaskId task;
    WorkerId worker;
    Time start;
    Time end;       ///< the truth
    Time believed;  ///< what the policy expects
  };

  /// Does one thing and returns true, or nothing and returns false.
  virtual bool act_once() = 0;
  /// Told of tasks that become ready together in the order of their numbers.
  virtual void become_ready(TaskId task) { ready_.push_back(task); }
  /// Whether the task is there at all; if so, its predecessors are, too.
  [[nodiscard]] virtual bool takes_part(TaskId) const { return true; }

  /// As the policy believes.
  [[nodiscard]] Time duration(TaskId task, ClassId c) const { return in_.costs.estimate(task, c); }
  [[nodiscard]] bool can_run(TaskId task, ClassId c) const { return duration(task, c) != kCannotRun; }
  [[nodiscard]] ClassId class_of(const Run& run) const { return in_.platform.class_of(run.worker); }
  [[nodiscard]] Time expected_end(const Run& run) const { return std::max(now_, run.believed); }

  [[nodiscard]] const Run* running_on(WorkerId worker) const {
    const auto found = std::ranges::find(running_, worker, &Run::worker);
    return found == running_.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::optional<WorkerId> idle(ClassId c) const {
    for (const WorkerId worker : in_.platform.workers(c)) {
      if (running_on(worker) == nullptr) return worker;
    }
    return std::nullopt;
  }

  void begin(TaskId task, WorkerId worker) {
    const ClassId c = in_.platform.class_of(worker);
    std::erase(ready_, task);
    running_.push_back({task, worker, now_, now_ + in_.costs.actual(task, c), now_ + duration(task, c)});
  }
  void abort(const Run& run) {
    attempts_.push_back({run.task, run.worker, run.start, now_, Outcome::aborted});
    std::erase_if(running_, [worker = run.worker](const Run& one) { return one.worker == worker; });
  }
  void restart(Run run, WorkerId worker) {
    abort(run);
    begin(run.task, worker);
  }

  /// What has ended so far.
  [[nodiscard]] const std::vector<Attempt>& attempts() const { return attempts_; }

  const Instance& in_;
  Time now_ = 0;
  std::vector<TaskId> ready_;  ///< in the order in which they became so, unless become_ready() keeps them elsewhere
  std::vector<Run> running_;

 private:
  void act() {
    while (act_once()) {
    }
  }

  void complete() {
    std::ranges::sort(running_, {}, &Run::worker);
    std::vector<TaskId> released;
    for (const Run& run : running_) {
      if (run.end != now_) continue;
      attempts_.push_back({run.task, run.worker, run.start, now_, Outcome::completed});
      for (const TaskId next : in_.graph.successors(run.task)) {
        if (--waiting_[next] == 0 && takes_part(next)) released.push_back(next);
      }
    }
    std::erase_if(running_, [this](const Run& run) { return run.end == now_; });
    std::ranges::sort(released);
    for (const TaskId task : released) become_ready(task);
  }

  Table<TaskId, std::size_t> waiting_;
  std::vector<Attempt> attempts_;
};

}  // namespace heddle::test
