#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "heddle/policy/kit/placement/spoliation.hpp"
#include "heddle/policy/kit/queues/acceleration_queue.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HeteroPrioDep: one queue of ready tasks by acceleration factor, which the GPUs empty from the front and the CPUs
/// from the back, and spoliation: an idle worker with no task that suits it may restart a task that runs on the other
/// class, if it would end it earlier. At most 2 + max(m/n, n/m) times the optimum on m CPUs and n GPUs.
///
/// The paper leaves open which task to spoliate (the order); the queue's ties and the service order are those of the
/// project's rules: equal factors by descending priority where the factor is at least 1, by ascending priority below.
class HeteroPrioDep {
 public:
  enum class Order : std::uint8_t { latest, priority, acceleration, best };

  HeteroPrioDep(Order order, Priority priority) : order_(order), priority_(priority) {}

  void start(const View& view) {
    queue_.start(view, priorities(view, priority_));
    spoliation_.start(view);
  }

  void ready(const View&, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queue_.push(task);
  }

  void started(const View& view, TaskId, WorkerId worker) { spoliation_.started(view, worker); }

  void refused(const View&, Action action) {
    if (action.kind == Action::Kind::run) queue_.push(action.task);
  }

  [[nodiscard]] Action next(const View& view) {
    if (order_ == Order::best) choose_order(*view.lookahead());
    for (const ClassId here : {kGpu, kCpu}) {
      const WorkerId worker = view.first_idle(here);
      if (worker == kNone<WorkerId>) continue;
      const Action action = serve(view, here, worker);
      if (action.kind != Action::Kind::wait) return action;
    }
    return wait();
  }

  [[nodiscard]] bool follows_best() const { return chosen_; }

 private:
  [[nodiscard]] Action take(TaskId task, WorkerId worker) {
    queue_.take(task);
    return run(task, worker);
  }

  /// Algorithm 1, lines 9 to 24, for one idle worker.
  [[nodiscard]] Action serve(const View& view, ClassId here, WorkerId worker) {
    const ClassId there = here == kCpu ? kGpu : kCpu;
    const TaskId task = queue_.offered(here);
    const bool found = task != kNone<TaskId>;
    if (found && view.estimate(task, here) <= view.estimate(task, there)) return take(task, worker);
    // Ahead of time only what suits the worker: the rest may still find a better one.
    if (view.asks_ahead()) return wait();
    const TaskId victim = find_victim(view, here, worker);
    if (victim != kNone<TaskId>) return restart(victim, worker);
    if (!found) return wait();
    const WorkerId suited = view.first_idle(there);
    if (suited != kNone<WorkerId>) return take(task, suited);
    return view.can_run(task, here) ? take(task, worker) : wait();
  }

  /// Among the tasks running on the other class that are strictly faster here and would end strictly earlier if they
  /// were restarted now, the first by the order.
  [[nodiscard]] TaskId find_victim(const View& view, ClassId here, WorkerId worker) {
    return spoliation_.find(
        view, worker,
        [&](TaskId task, ClassId there) { return view.estimate(task, here) < view.estimate(task, there); },
        [&](WorkerId a, WorkerId b) { return precedes(view, here, a, b); });
  }

  /// Whether the task of worker a is to be spoliated rather than that of worker b; ties by priority, then by number.
  [[nodiscard]] bool precedes(const View& view, ClassId here, WorkerId a, WorkerId b) const {
    const TaskId first = view.running(a);
    const TaskId second = view.running(b);
    if (order_ == Order::latest && view.expected_end(a) != view.expected_end(b)) {
      return view.expected_end(a) > view.expected_end(b);
    }
    if (order_ == Order::acceleration) {
      const std::uint32_t rank_a = queue_.acceleration_rank(view, first);
      const std::uint32_t rank_b = queue_.acceleration_rank(view, second);
      if (rank_a != rank_b) return here == kGpu ? rank_a < rank_b : rank_a > rank_b;
    }
    return queue_.more_urgent(first, second);
  }

  /// Keeps the order with the smallest makespan on the estimates; ties to the one named first (section VI.B).
  void choose_order(const Lookahead& lookahead) {
    constexpr std::array kOrders{Order::latest, Order::priority, Order::acceleration};
    std::vector<Policy> candidates;
    for (const Order order : kOrders) {
      order_ = order;
      candidates.emplace_back(*this);
    }
    const std::vector<Time> makespans = lookahead.makespans(std::move(candidates));
    order_ = kOrders[static_cast<std::size_t>(std::ranges::min_element(makespans) - makespans.begin())];
    chosen_ = true;
  }

  Order order_;
  bool chosen_ = false;  ///< order_ was `best`
  Priority priority_;
  AccelerationQueue queue_;
  Spoliation spoliation_;
};

}  // namespace

Entry heteroprio_dep() {
  return {
      .name = "heteroprio-dep",
      .summary =
          "CPUs and GPUs take ready tasks from the two ends of one queue, sorted by acceleration factor, with "
          "spoliation",
      .publication = "Eyraud-Dubois and Kumar 2020, hal-02431810, algorithm 1",
      .complexity =
          "O(e + n log n), and O(w) for each search for a task to spoliate; order=best: up to three simulations first",
      .options = {choice("order", "latest", {"latest", "priority", "acceleration", "best"},
                         "running task that is spoliated: the one that would end last (latest), the most urgent "
                         "(priority), or the one that gains most (acceleration); best: the order of these three "
                         "with the smallest makespan on the estimates"),
                  priority_option()},
      .needs =
          [](const Options& options) {
            const bool best = options.text("order") == "best";
            return Needs{.whole_graph = true, .abort = true, .two_classes = true, .lookahead = best};
          },
      .make =
          [](const Setup& setup) {
            return Policy(HeteroPrioDep(static_cast<HeteroPrioDep::Order>(setup.options.choice("order")),
                                        chosen_priority(setup.options)));
          }};
}

}  // namespace heddle::policy
