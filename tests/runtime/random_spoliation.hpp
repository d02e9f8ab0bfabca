#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heddle/model/random.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::runtime {

/// Gives ready tasks to random idle workers that can run them, and rather often restarts or puts back a task that runs.
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
    if (!running.empty() && !view.asks_ahead() && random_.below(2) == 0) {
      const WorkerId worker = one_of(idle);
      const TaskId victim = view.running(one_of(running));
      if (view.can_run(victim, view.platform().class_of(worker)) && aborts_[victim]++ < 3) {
        return random_.below(4) == 0 ? policy::preempt(victim) : policy::restart(victim, worker);
      }
    }
    return run_one(view, idle);
  }

 private:
  template <class T>
  [[nodiscard]] T& one_of(std::vector<T>& all) {
    return all[random_.below(all.size())];
  }
  /// Of those that an idle worker can run.
  [[nodiscard]] policy::Action run_one(const policy::View& view, std::vector<WorkerId>& idle) {
    while (!idle.empty()) {
      std::swap(one_of(idle), idle.back());
      const WorkerId worker = idle.back();
      idle.pop_back();
      const auto others = std::partition(ready_.begin(), ready_.end(), [&](TaskId task) {
        return !view.can_run(task, view.platform().class_of(worker));
      });
      if (others == ready_.end()) continue;
      const auto chosen =
          others + static_cast<std::ptrdiff_t>(random_.below(static_cast<std::uint64_t>(ready_.end() - others)));
      const TaskId task = *chosen;
      ready_.erase(chosen);
      return policy::run(task, worker);
    }
    return policy::wait();
  }

  Random random_;
  std::vector<TaskId> ready_;
  Table<TaskId, int> aborts_;
};

}  // namespace heddle::runtime
