#include <memory>

#include "heddle/policy/kit/queues/polling.hpp"
#include "heddle/policy/kit/queues/task_queue.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// One queue by priority: an idle worker takes the most urgent ready task that it can run.
class Prio {
 public:
  static constexpr bool kPolls = true;

  explicit Prio(Priority priority) : priority_(priority) {}

  void start(const View& view) {
    polling_.start(view);
    ranking_ = std::make_shared<const Ranking>(Ranking{priorities(view, priority_), Kinds(view.instance())});
    queue_ = TaskQueue(ranking_->kinds);
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    polling_.ready(view, tasks, [&](TaskId task) { push(view, task); });
  }
  void push(const View& view, TaskId task) {
    queue_.push(ranking_->kinds.of(view.instance().costs.row(task)), task, ~ranking_->priority[task]);
  }

  void started(const View& view, TaskId, WorkerId worker) { polling_.started(view, worker); }
  void finished(const View& view, std::span<const Completion> completions) { polling_.finished(view, completions); }
  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) push(view, action.task);
  }

  [[nodiscard]] Action next(const View& view) {
    return polling_.next(
        view, [&](TaskId task) { push(view, task); },
        [&](WorkerId worker) { return queue_.pop(ranking_->kinds, view.platform().class_of(worker)); });
  }

 private:
  /// What never changes during a run; clones share it.
  struct Ranking {
    Table<TaskId, std::int64_t> priority;
    Kinds kinds;
  };

  Priority priority_;
  std::shared_ptr<const Ranking> ranking_;
  TaskQueue queue_;
  Polling polling_;
};

}  // namespace

Entry prio() {
  return {.name = "prio",
          .summary = "One queue, the most urgent task first",
          .publication = "list scheduling: Graham 1969, doi:10.1137/0117039; StarPU's prio",
          .complexity = "O(n log n + e)",
          .options = {priority_option()},
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup& setup) { return Policy(Prio(chosen_priority(setup.options))); }};
}

}  // namespace heddle::policy
