#include "tests/support/reference_dada.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "tests/support/plain_factors.hpp"
#include "tests/support/plain_queues.hpp"

namespace heddle::test {
namespace {

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);

class PlainDada {
 public:
  explicit PlainDada(DadaRules rules) : rules_(rules) {}

  void start(const policy::View& view) { queues_.reset(view); }

  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    const std::vector<Placement> placed = bisect(view, tasks);
    for (const TaskId task : tasks) {
      const WorkerId worker = std::ranges::find(placed, task, &Placement::task)->worker;
      queues_.append(view, worker, {task, cost(view, task, worker)});
    }
  }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    return queues_.serve(view, [](WorkerId, const std::vector<PlainQueues::Placed>&) { return 0; });
  }

 private:
  struct Placement {
    TaskId task;
    WorkerId worker;
  };

  [[nodiscard]] Time cost(const policy::View& view, TaskId task, WorkerId worker) const {
    const ClassId c = view.platform().class_of(worker);
    if (!view.can_run(task, c)) return kCannotRun;
    return view.estimate(task, c) +
           (rules_.counts_transfers ? plain_transfers(view, task, view.memory_of(worker), 1) : 0);
  }

  /// One guess: what is placed where, and how much each worker then has to do.
  class Guess {
   public:
    Guess(const PlainDada& dada, const policy::View& view, std::span<const TaskId> tasks, Time guess)
        : dada_(dada),
          view_(view),
          guess_(guess),
          affine_(static_cast<Time>(dada.rules_.alpha * static_cast<double>(guess))),
          left_(tasks.begin(), tasks.end()),
          load_(view.platform().worker_count(), 0) {
      for (const WorkerId worker : load_.ids()) load_[worker] = dada.queues_.free_at(view, worker) - view.now();
      before_ = load_;
    }

    std::optional<std::vector<Placement>> place() {
      local_phase();
      global_phase();
      if (!fits()) return std::nullopt;
      return placed_;
    }

   private:
    [[nodiscard]] Time cost(TaskId task, WorkerId worker) const { return dada_.cost(view_, task, worker); }
    [[nodiscard]] bool is_gpu(WorkerId worker) const { return view_.platform().class_of(worker) == kGpu; }
    /// The part of a worker's load that a guess has to hold.
    [[nodiscard]] Time counted(WorkerId worker) const {
      return load_[worker] - (dada_.rules_.all_loads ? 0 : before_[worker]);
    }

    void put(TaskId task, WorkerId worker) {
      load_[worker] += cost(task, worker);
      placed_.push_back({task, worker});
      std::erase(left_, task);
    }

    /// Where the task would end first, of the workers that `may` have it; ties to the smallest.
    template <class May>
    [[nodiscard]] std::optional<WorkerId> earliest(TaskId task, const May& may) const {
      std::optional<WorkerId> best;
      Time least = kMaxTime;
      for (const WorkerId worker : load_.ids()) {
        if (cost(task, worker) == kCannotRun || !may(worker) || load_[worker] + cost(task, worker) >= least) continue;
        best = worker;
        least = load_[worker] + cost(task, worker);
      }
      return best;
    }

    [[nodiscard]] std::int64_t affinity(TaskId task, WorkerId worker) const {
      std::int64_t bytes = 0;
      if (!view_.moves_data() || cost(task, worker) == kCannotRun) return bytes;
      for (const Access access : view_.graph().accesses(task)) {
        const bool there = view_.holds(access.data, view_.memory_of(worker));
        if (access.mode != AccessMode::read && there) bytes += view_.graph().datum(access.data).bytes;
      }
      return bytes;
    }

    /// Tasks by affinity, each to its processor, which are loaded up to overreaching alpha times the guess.
    void local_phase() {
      std::vector<TaskId> tasks = left_;
      const auto best_affinity = [&](TaskId task) {
        std::int64_t best = 0;
        for (const WorkerId worker : load_.ids()) best = std::max(best, affinity(task, worker));
        return best;
      };
      std::ranges::stable_sort(tasks, std::greater<>(), best_affinity);
      for (const TaskId task : tasks) {
        const std::int64_t most = best_affinity(task);
        if (most == 0) continue;
        const auto worker = earliest(task, [&](WorkerId one) {
          return affinity(task, one) == most && cost(task, one) <= guess_ && counted(one) < affine_;
        });
        if (worker) put(task, *worker);
      }
    }

    /// The dual approximation: tasks that only one class can do within the guess, then GPUs by decreasing acceleration
    /// up to overreaching the guess, then CPUs.
    void global_phase() {
      std::vector<TaskId> by_factor = left_;
      std::ranges::stable_sort(by_factor,
                               [&](TaskId a, TaskId b) { return compare_factors(view_.instance().costs, a, b) > 0; });
      const auto in_time = [&](TaskId task, ClassId c) {
        return
            [this, task, c](WorkerId one) { return view_.platform().class_of(one) == c && cost(task, one) <= guess_; };
      };
      for (const TaskId task : by_factor) {
        if (!earliest(task, in_time(task, kCpu))) try_put(task, earliest(task, in_time(task, kGpu)));
      }
      for (const TaskId task : by_factor) {
        const auto worker =
            earliest(task, [&](WorkerId one) { return in_time(task, kGpu)(one) && counted(one) < guess_; });
        if (worker && is_left(task)) put(task, *worker);
      }
      for (const TaskId task : std::vector<TaskId>(left_)) {
        try_put(task, earliest(task, [&](WorkerId one) { return !is_gpu(one); }));
      }
    }
    [[nodiscard]] bool is_left(TaskId task) const { return std::ranges::find(left_, task) != left_.end(); }
    /// Without a worker the guess is too short.
    void try_put(TaskId task, std::optional<WorkerId> worker) {
      if (worker) {
        put(task, *worker);
      } else {
        too_short_ = true;
      }
    }

    [[nodiscard]] bool fits() const {
      Time cpus = 0;
      Time cpu_work = 0;
      for (const WorkerId worker : load_.ids()) {
        if (counted(worker) > 2 * guess_ + affine_) return false;
        if (is_gpu(worker)) continue;
        ++cpus;
        cpu_work += counted(worker);
      }
      return !too_short_ && (!dada_.rules_.by_area || cpu_work <= cpus * (guess_ + affine_));
    }

    const PlainDada& dada_;
    const policy::View& view_;
    Time guess_;
    Time affine_;  ///< alpha times the guess
    std::vector<TaskId> left_;
    Table<WorkerId, Time> load_;
    Table<WorkerId, Time> before_;
    std::vector<Placement> placed_;
    bool too_short_ = false;
  };

  /// As Algorithm 2, but from a guess below which some task fits nowhere; what workers have still to do is added to the
  /// longest guess where it counts. Guesses a millionth apart are one.
  [[nodiscard]] std::vector<Placement> bisect(const policy::View& view, std::span<const TaskId> tasks) const {
    Time lower = -1;
    Time upper = 0;
    for (const WorkerId worker : view.platform().workers()) {
      if (rules_.all_loads) upper = std::max(upper, queues_.free_at(view, worker) - view.now());
    }
    for (const TaskId task : tasks) {
      Time least = kMaxTime;
      Time most = 0;
      for (const WorkerId worker : view.platform().workers()) {
        const Time there = cost(view, task, worker);
        if (there == kCannotRun) continue;
        least = std::min(least, there);
        most = std::max(most, there);
      }
      lower = std::max(lower, least - 1);
      upper += most;
    }
    while (upper - lower > 1 + upper / 1'000'000) {
      const Time guess = lower + (upper - lower) / 2;
      (Guess(*this, view, tasks, guess).place() ? upper : lower) = guess;
    }
    return Guess(*this, view, tasks, upper).place().value();
  }

  DadaRules rules_;
  PlainQueues queues_;
};

}  // namespace

policy::Policy reference_dada(DadaRules rules) {
  return PlainDada(rules);
}

}  // namespace heddle::test
