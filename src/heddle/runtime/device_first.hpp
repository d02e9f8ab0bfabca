#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "heddle/policy/policy.hpp"

namespace heddle::runtime {

/// Gives the last class of workers every task that it can run, and the first class the rest: for Config::decider.
class DeviceFirst {
 public:
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    const ClassId last = make_id<ClassId>(view.platform().class_count() - 1);
    for (const ClassId c : {last, ClassId{0}}) {
      const auto task =
          std::ranges::find_if(ready_, [&](TaskId one) { return view.can_run(one, last) == (c == last); });
      if (task == ready_.end() || !view.has_idle(c)) continue;
      const TaskId taken = *task;
      ready_.erase(task);
      return policy::run(taken, view.first_idle(c));
    }
    return policy::wait();
  }

 private:
  std::vector<TaskId> ready_;
};

}  // namespace heddle::runtime
