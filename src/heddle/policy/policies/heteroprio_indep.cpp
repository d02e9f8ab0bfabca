#include "heddle/policy/kit/placement/spoliation.hpp"
#include "heddle/policy/kit/queues/acceleration_queue.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HeteroPrio as its approximation ratios for independent tasks are proved: one queue of ready tasks by acceleration
/// factor, which the GPUs empty from the front and the CPUs from the back; a worker for which nothing is ready
/// spoliates any task of the other class that it would end strictly earlier. On independent tasks at most (1 + sqrt 5)
/// / 2 times the optimum on one CPU and one GPU, (3 + sqrt 5) / 2 with several CPUs, 2 + sqrt 2 with several of both.
///
/// The section gives two orders in which running tasks are considered: algorithm 3 takes the one that would end last,
/// and the proofs need that; section 5.6.2 takes the most urgent one on task graphs. `order=auto` follows both.
class HeteroPrioIndep {
 public:
  enum class Order : std::uint8_t { automatic, latest, priority };

  HeteroPrioIndep(Order order, Rank rank) : order_(order), rank_(rank) {}

  void start(const View& view) {
    queue_.start(view, bottom_levels(view.instance(), rank_));
    spoliation_.start(view);
    if (order_ == Order::automatic) order_ = view.graph().edge_count() == 0 ? Order::latest : Order::priority;
  }

  void ready(const View&, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queue_.push(task);
  }

  void started(const View& view, TaskId, WorkerId worker) { spoliation_.started(view, worker); }

  void refused(const View&, Action action) {
    if (action.kind == Action::Kind::run) queue_.push(action.task);
  }

  [[nodiscard]] Action next(const View& view) {
    for (const ClassId here : {kGpu, kCpu}) {
      const WorkerId worker = view.first_idle(here);
      if (worker == kNone<WorkerId>) continue;
      const Action action = serve(view, here, worker);
      if (action.kind != Action::Kind::wait) return action;
    }
    return wait();
  }

 private:
  [[nodiscard]] Action serve(const View& view, ClassId here, WorkerId worker) {
    const TaskId task = queue_.offered(here);
    if (view.asks_ahead()) {
      // Ahead of time only what suits the worker: the rest may still find a better one.
      const ClassId there = here == kCpu ? kGpu : kCpu;
      if (task == kNone<TaskId> || view.estimate(task, here) > view.estimate(task, there)) return wait();
    }
    // What a class cannot run is at the far end of its queue: then nothing that it can run is ready.
    if (task != kNone<TaskId> && view.can_run(task, here)) {
      queue_.take(task);
      return run(task, worker);
    }
    const TaskId victim = spoliation_.find(
        view, worker, [](TaskId, ClassId) { return true; },
        [&](WorkerId a, WorkerId b) { return precedes(view, a, b); });
    return victim == kNone<TaskId> ? wait() : restart(victim, worker);
  }

  /// Whether the task of worker a is to be spoliated rather than that of worker b.
  [[nodiscard]] bool precedes(const View& view, WorkerId a, WorkerId b) const {
    if (order_ == Order::latest && view.expected_end(a) != view.expected_end(b)) {
      return view.expected_end(a) > view.expected_end(b);
    }
    return queue_.more_urgent(view.running(a), view.running(b));
  }

  Order order_;
  Rank rank_;
  AccelerationQueue queue_;
  Spoliation spoliation_;
};

}  // namespace

Entry heteroprio_indep() {
  return {.name = "heteroprio-indep",
          .summary =
              "CPUs and GPUs take ready tasks from the two ends of one queue, sorted by acceleration factor; idle "
              "workers spoliate",
          .publication = "Kumar 2017, tel-01538516, chapter 5, algorithm 3",
          .complexity = "O(e + n log n), and O(w) for each search for a task to spoliate",
          .options = {rank_option(),
                      choice("order", "auto", {"auto", "latest", "priority"},
                             "running task that is spoliated: the one that would end last (latest), or the most urgent "
                             "(priority); auto: latest if no task depends on another, otherwise priority")},
          .needs = [](const Options&) { return Needs{.whole_graph = true, .abort = true, .two_classes = true}; },
          .make =
              [](const Setup& setup) {
                return Policy(HeteroPrioIndep(static_cast<HeteroPrioIndep::Order>(setup.options.choice("order")),
                                              chosen_rank(setup.options)));
              }};
}

}  // namespace heddle::policy
