#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heddle/model/random.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::runtime {

/// Gives ready tasks to random idle workers, and rather often restarts or puts back a task that runs.
class RandomSpoliation {
 public:
  explicit RandomSpoliation(std::uint64_t seed) : random_(seed) {}

  void start(const policy::View& view) { aborts_.assign(view.graph().task_count(), 0); }
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    std::vector<WorkerId> idle;
    std::vector<WorkerId> running;
    for (const WorkerId worker : view.platform().workers()) {
      if (view.is_idle(worker)) idle.push_back(worker);
      if (view.running(worker) != kNone<TaskId>) running.push_back(worker);
    }
    if (idle.empty()) return policy::wait();
    const WorkerId worker = idle[random_.below(idle.size())];
    if (!running.empty() && !view.asks_ahead() && random_.below(2) == 0) {
      const TaskId victim = view.running(running[random_.below(running.size())]);
      if (aborts_[victim]++ < 3) {
        return random_.below(4) == 0 ? policy::preempt(victim) : policy::restart(victim, worker);
      }
    }
    if (ready_.empty()) return policy::wait();
    std::swap(ready_[random_.below(ready_.size())], ready_.back());
    const TaskId task = ready_.back();
    ready_.pop_back();
    return policy::run(task, worker);
  }

 private:
  Random random_;
  std::vector<TaskId> ready_;
  Table<TaskId, int> aborts_;
};

}  // namespace heddle::runtime
