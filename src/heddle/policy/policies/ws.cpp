#include "heddle/policy/kit/queues/work_stealing.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Work stealing: a task waits for the worker that released it; an idle worker without tasks steals the oldest that it
/// can run from the most loaded worker, the one with the most such tasks (ties to the smallest number). Queues are
/// first-in first-out, for owners and thieves alike, as in StarPU.
class Ws {
 public:
  void start(const View& view) { queues_.start(view); }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queues_.push(view, task, queues_.releaser(view, task), arrivals_++);
  }

  void finished(const View&, std::span<const Completion> completions) { queues_.finished(completions); }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) ready(view, std::span(&action.task, 1));
  }

  void workers_changed(const View& view) { ready(view, queues_.take_unassigned(view)); }

  [[nodiscard]] Action next(const View& view) {
    return queues_.serve(view, [&](WorkerId thief) { return most_loaded(view, thief); });
  }

 private:
  [[nodiscard]] WorkerId most_loaded(const View& view, WorkerId thief) const {
    WorkerId victim = kNone<WorkerId>;
    std::size_t most = 0;
    for (const WorkerId worker : view.platform().workers()) {
      const std::size_t loot = queues_.loot(view, worker, thief);
      if (loot <= most) continue;
      victim = worker;
      most = loot;
    }
    return victim;
  }

  WorkStealing queues_;
  std::int64_t arrivals_ = 0;
};

}  // namespace

Entry ws() {
  return {
      .name = "ws",
      .summary =
          "Work stealing: tasks wait at the worker that released them; idle workers steal from the most loaded one",
      .publication = "Blumofe and Leiserson 1999, doi:10.1145/324133.324234; StarPU's ws: Kumar 2017, section 1.1.1",
      .complexity = "O(n (w + log n) + e)",
      .options = {},
      .needs = [](const Options&) { return Needs{}; },
      .make = [](const Setup&) { return Policy(Ws()); }};
}

}  // namespace heddle::policy
