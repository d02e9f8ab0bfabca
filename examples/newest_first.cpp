// A policy of one's own, as a plug-in: docs/plugins.md tells how to build and use it.
#include <algorithm>
#include <vector>

#include "heddle/policy/plugin.hpp"

using namespace heddle;
using namespace heddle::policy;

namespace {

/// Gives an idle worker the task that became ready last, of those that it runs fastest of all classes; if there is
/// none, of those that it can run.
class NewestFirst {
 public:
  void ready(const View& /*view*/, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }

  Action next(const View& view) {
    Action action = wait();
    view.visit_idle([&](WorkerId worker) {
      const ClassId c = view.platform().class_of(worker);
      const auto suits = [&](TaskId task) {
        return std::ranges::all_of(view.platform().classes(),
                                   [&](ClassId other) { return view.estimate(task, c) <= view.estimate(task, other); });
      };
      auto task = std::find_if(ready_.rbegin(), ready_.rend(), suits);
      if (task == ready_.rend()) {
        task = std::find_if(ready_.rbegin(), ready_.rend(), [&](TaskId one) { return view.can_run(one, c); });
      }
      if (task == ready_.rend()) return false;
      action = run(*task, worker);
      ready_.erase(std::next(task).base());
      return true;
    });
    return action;
  }

  void refused(const View& /*view*/, Action action) { ready_.push_back(action.task); }

 private:
  std::vector<TaskId> ready_;  ///< in the order in which they became so
};

Entry newest_first() {
  return {.name = "newest-first",
          .summary = "The newest ready task that suits the worker",
          .publication = "docs/plugins.md",
          .complexity = "O(n r) with r ready tasks",
          .options = {},
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup&) { return Policy(NewestFirst()); }};
}

}  // namespace

HEDDLE_POLICY_PLUGIN("newest-first", newest_first)

// heddle --plugin ./newest_first.so schedule cholesky:tiles=12 --platform mirage --policy newest-first -o plan.json
// heddle validate cholesky:tiles=12 plan.json --platform mirage
// Output:
// valid: 364 tasks, 0 aborted attempts, makespan 0.9150416476 s
