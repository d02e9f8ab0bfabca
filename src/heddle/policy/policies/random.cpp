#include "heddle/model/random.hpp"

#include <algorithm>

#include "heddle/policy/kit/queues/worker_queues.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Each ready task goes to a worker drawn with a probability proportional to its speed on the task, 1 / duration.
class RandomPolicy {
 public:
  explicit RandomPolicy(std::uint64_t seed) : random_(seed) {}

  void start(const View& view) { queues_.reset(view); }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) place(view, task);
  }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) place(view, action.task);
  }

  void workers_changed(const View& view) { ready(view, queues_.take_unassigned(view)); }

  [[nodiscard]] Action next(const View& view) { return queues_.serve(view); }

 private:
  /// Zero where the worker cannot run the task; work that takes no time counts as a picosecond.
  [[nodiscard]] static double speed(const View& view, TaskId task, WorkerId worker) {
    const ClassId c = view.platform().class_of(worker);
    if (!view.is_available(worker) || !view.can_run(task, c)) return 0;
    return 1 / static_cast<double>(std::max<Time>(view.estimate(task, c), 1));
  }

  void place(const View& view, TaskId task) {
    double total = 0;
    for (const WorkerId worker : view.platform().workers()) total += speed(view, task, worker);
    double point = random_.uniform() * total;
    WorkerId chosen = kNone<WorkerId>;
    for (const WorkerId worker : view.platform().workers()) {
      const double share = speed(view, task, worker);
      if (share == 0) continue;
      chosen = worker;
      if (point < share) break;
      point -= share;
    }
    if (chosen == kNone<WorkerId>) {
      queues_.keep(task);
      return;
    }
    queues_.push(view, chosen, task, view.estimate(task, view.platform().class_of(chosen)));
  }

  Random random_;
  WorkerQueues queues_;
};

}  // namespace

Entry random() {
  return {.name = "random",
          .summary = "Each ready task goes to a random worker, faster ones more often",
          .publication = "StarPU's random: Augonnet et al. 2011, doi:10.1002/cpe.1631",
          .complexity = "O(n w)",
          .options = {},
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup& setup) { return Policy(RandomPolicy(setup.seed)); }};
}

}  // namespace heddle::policy
