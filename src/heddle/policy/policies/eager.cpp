#include <algorithm>
#include <deque>

#include "heddle/policy/kit/queues/polling.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// One queue, first come first served: an idle worker takes the first ready task that it can run.
class Eager {
 public:
  static constexpr bool kPolls = true;

  void start(const View& view) { polling_.start(view); }
  void started(const View& view, TaskId, WorkerId worker) { polling_.started(view, worker); }
  void finished(const View& view, std::span<const Completion> completions) { polling_.finished(view, completions); }
  void ready(const View& view, std::span<const TaskId> tasks) {
    polling_.ready(view, tasks, [&](TaskId task) { queue_.push_back(task); });
  }

  void refused(const View&, Action action) {
    if (action.kind == Action::Kind::run) queue_.push_front(action.task);
  }

  [[nodiscard]] Action next(const View& view) {
    return polling_.next(
        view, [&](TaskId task) { queue_.push_back(task); }, [&](WorkerId worker) { return pop(view, worker); });
  }

 private:
  [[nodiscard]] TaskId pop(const View& view, WorkerId worker) {
    if (queue_.empty()) return kNone<TaskId>;
    const ClassId c = view.platform().class_of(worker);
    TaskId task = queue_.front();
    if (view.can_run(task, c)) {
      queue_.pop_front();
      return task;
    }
    const auto found = std::ranges::find_if(queue_, [&](TaskId ready) { return view.can_run(ready, c); });
    if (found == queue_.end()) return kNone<TaskId>;
    task = *found;
    queue_.erase(found);
    return task;
  }

  std::deque<TaskId> queue_;
  Polling polling_;
};

}  // namespace

Entry eager() {
  return {.name = "eager",
          .summary = "One queue, first come first served",
          .publication = "list scheduling: Graham 1969, doi:10.1137/0117039; StarPU's eager",
          .complexity = "O(n w), more if classes cannot run some of the ready tasks",
          .options = {},
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup&) { return Policy(Eager()); }};
}

}  // namespace heddle::policy
