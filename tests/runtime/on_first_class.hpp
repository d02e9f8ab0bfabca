#pragma once

#include <span>
#include <vector>

#include "heddle/policy/policy.hpp"

namespace heddle::runtime {

/// Gives ready tasks, the last one first, to whoever is idle in the first class: what policies of tests begin with.
class OnFirstClass {
 public:
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    const WorkerId worker = view.first_idle(ClassId{0});
    if (ready_.empty() || worker == kNone<WorkerId>) return policy::wait();
    const TaskId task = ready_.back();
    ready_.pop_back();
    return policy::run(task, worker);
  }

 private:
  std::vector<TaskId> ready_;
};

}  // namespace heddle::runtime
