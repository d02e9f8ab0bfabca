#include <array>
#include <memory>
#include <optional>

#include "heddle/policy/acceleration.hpp"
#include "heddle/policy/double_ended_queue.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy_table.hpp"
#include "heddle/policy/urgency.hpp"

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
    known_ = std::make_shared<const Known>(Known{priorities(view, priority_), AccelerationRanks(view.instance())});
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queue_.push(key(view, task));
  }

  void started(const View& view, TaskId, WorkerId worker) {
    may_spoliate_[index(other(view.platform().class_of(worker)))] = true;
  }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) queue_.push(key(view, action.task));
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

 private:
  static constexpr ClassId kCpu = make_id<ClassId>(0);
  static constexpr ClassId kGpu = make_id<ClassId>(1);  ///< the class listed last, by position

  /// A ready task's place in the queue, smallest first: the rank of its factor, its priority (complemented where larger
  /// comes first), its number. One integer, because queues compare millions of them.
  __extension__ using Key = unsigned __int128;

  /// What never changes during a run; clones share it.
  struct Known {
    Table<TaskId, std::int64_t> priority;
    AccelerationRanks acceleration;
  };

  [[nodiscard]] static ClassId other(ClassId c) { return c == kCpu ? kGpu : kCpu; }

  [[nodiscard]] Key key(const View& view, TaskId task) const {
    const std::uint32_t row = view.instance().costs.row(task);
    const std::int64_t priority = known_->priority[task];
    const std::int64_t ascending = known_->acceleration.accelerated(row) ? ~priority : priority;
    // With the sign bit flipped, unsigned numbers compare like the signed ones.
    const std::uint64_t unsigned_priority = static_cast<std::uint64_t>(ascending) ^ std::uint64_t{1} << 63;
    return Key{known_->acceleration.rank(row)} << 96 | Key{unsigned_priority} << 32 | static_cast<std::uint32_t>(task);
  }
  [[nodiscard]] static TaskId task_of(Key key) { return static_cast<TaskId>(static_cast<std::uint32_t>(key)); }

  /// What the queue gives to a class: the GPU the first, the CPU the last.
  [[nodiscard]] TaskId offered(ClassId c) const {
    if (queue_.empty()) return kNone<TaskId>;
    return task_of(c == kGpu ? queue_.front() : queue_.back());
  }

  [[nodiscard]] Action take(ClassId from, TaskId task, WorkerId worker) {
    if (from == kGpu) {
      queue_.pop_front();
    } else {
      queue_.pop_back();
    }
    return run(task, worker);
  }

  /// Algorithm 1, lines 9 to 24, for one idle worker.
  [[nodiscard]] Action serve(const View& view, ClassId here, WorkerId worker) {
    const ClassId there = other(here);
    const TaskId task = offered(here);
    const bool found = task != kNone<TaskId>;
    if (found && view.estimate(task, here) <= view.estimate(task, there)) return take(here, task, worker);
    // Ahead of time only what suits the worker: the rest may still find a better one.
    if (view.asks_ahead()) return wait();
    const TaskId victim = find_victim(view, here);
    if (victim != kNone<TaskId>) return restart(victim, worker);
    if (!found) return wait();
    const WorkerId suited = view.first_idle(there);
    if (suited != kNone<WorkerId>) return take(here, task, suited);
    return view.can_run(task, here) ? take(here, task, worker) : wait();
  }

  /// Among the tasks running on the other class that are strictly faster here and would end strictly earlier if they
  /// were restarted now, the first by the order.
  [[nodiscard]] TaskId find_victim(const View& view, ClassId here) {
    if (!may_spoliate_[index(here)]) return kNone<TaskId>;
    const ClassId there = other(here);
    WorkerId best = kNone<WorkerId>;
    for (const WorkerId worker : view.platform().workers(there)) {
      const TaskId task = view.running(worker);
      if (task == kNone<TaskId>) continue;
      const Time duration = view.estimate(task, here);
      if (duration >= view.estimate(task, there) || view.now() + duration >= view.expected_end(worker)) continue;
      if (best == kNone<WorkerId> || precedes(view, here, worker, best)) best = worker;
    }
    // A task that would not gain now gains less later: until another one starts there, looking again is in vain.
    if (best == kNone<WorkerId>) may_spoliate_[index(here)] = false;
    return best == kNone<WorkerId> ? kNone<TaskId> : view.running(best);
  }

  /// Whether the task of worker a is to be spoliated rather than that of worker b; ties by priority, then by number.
  [[nodiscard]] bool precedes(const View& view, ClassId here, WorkerId a, WorkerId b) const {
    const TaskId first = view.running(a);
    const TaskId second = view.running(b);
    if (order_ == Order::latest && view.expected_end(a) != view.expected_end(b)) {
      return view.expected_end(a) > view.expected_end(b);
    }
    if (order_ == Order::acceleration) {
      const std::uint32_t rank_a = known_->acceleration.rank(view.instance().costs.row(first));
      const std::uint32_t rank_b = known_->acceleration.rank(view.instance().costs.row(second));
      if (rank_a != rank_b) return here == kGpu ? rank_a < rank_b : rank_a > rank_b;
    }
    if (known_->priority[first] != known_->priority[second]) return known_->priority[first] > known_->priority[second];
    return first < second;
  }

  /// Keeps the order with the smallest makespan on the estimates; ties to the one named first (section VI.B).
  void choose_order(const Lookahead& lookahead) {
    std::optional<Time> least;
    for (const Order order : {Order::latest, Order::priority, Order::acceleration}) {
      HeteroPrioDep candidate = *this;
      candidate.order_ = order;
      const Time makespan = lookahead.makespan(Policy(std::move(candidate)));
      if (least && makespan >= *least) continue;
      least = makespan;
      order_ = order;
    }
  }

  Order order_;
  Priority priority_;
  std::shared_ptr<const Known> known_;
  DoubleEndedQueue<Key> queue_;
  std::array<bool, 2> may_spoliate_{};  ///< by class: something started on the other class since the last vain search
};

}  // namespace

Entry heteroprio_dep() {
  return {
      .name = "heteroprio-dep",
      .summary = "Ready tasks by acceleration factor from both ends of one queue, with spoliation",
      .publication = "Eyraud-Dubois and Kumar 2020, hal-02431810, algorithm 1",
      .options = {choice("order", "latest", {"latest", "priority", "acceleration", "best"},
                         "which running task is spoliated: the one that would end last, the most urgent, or the one "
                         "that gains most; best: whichever gives the smallest makespan on the estimates"),
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
