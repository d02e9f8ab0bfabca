#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/policy/kit/placement/capacity.hpp"
#include "heddle/policy/kit/queues/double_ended_queue.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// A ready task in its queue: the most urgent first, ties by number.
struct Waiting {
  std::int64_t urgency;
  TaskId task;

  bool operator<(const Waiting& other) const {
    return urgency != other.urgency ? urgency > other.urgency : task < other.task;
  }
};
using Queue = DoubleEndedQueue<Waiting>;

/// The ready tasks that take equally long, on the two sides of the assignment. The more urgent ones are with the faster
/// class.
struct Pool {
  std::uint32_t acceleration;  ///< rank of their factor
  Time cpu;                    ///< duration of each
  Time gpu;
  bool accelerated;  ///< the GPU is the faster one
  Queue quick{};
  Queue slow{};

  [[nodiscard]] std::size_t size() const { return quick.size() + slow.size(); }
  [[nodiscard]] Queue& side(ClassId c) { return accelerated == (c == kGpu) ? quick : slow; }

  void insert(Waiting task) { (!quick.empty() && task < quick.back() ? quick : slow).push(task); }
  void assign(std::size_t to_gpu) {
    const std::size_t to_quick = accelerated ? to_gpu : size() - to_gpu;
    for (; quick.size() > to_quick; quick.pop_back()) slow.push(quick.back());
    for (; quick.size() < to_quick; slow.pop_front()) quick.push(slow.front());
  }
};

/// The dual approximation: for a guess of the makespan, tasks that a class cannot complete within it go to the other
/// class; then GPUs are loaded up to it, by decreasing acceleration factor, the last task reaching over; CPUs take the
/// rest. Where GPUs cannot do what only they can do in time, or CPUs the rest, no schedule of ready tasks is as short
/// as the guess.
class Assignment {
 public:
  /// Pools by decreasing factor. Load: what a class has still to do of what it is running.
  struct Side {
    Time workers = 0;
    Time load = 0;
  };
  Assignment(std::span<const Pool> pools, Side cpu, Side gpu)
      : pools_(pools), cpu_(cpu), gpu_(gpu), to_gpu_(pools.size(), 0) {
    for (std::size_t begin = 0; begin < pools_.size();) {
      std::size_t end = begin + 1;
      while (end < pools_.size() && pools_[end].acceleration == pools_[begin].acceleration) ++end;
      add_runs(begin, end);
      begin = end;
    }
  }

  /// By bisection, the tasks of each pool that go to the GPU for a guess that is good, while one picosecond less is
  /// not.
  [[nodiscard]] const std::vector<std::size_t>& solve() {
    Time too_short = -1;
    Time enough = cpu_.load + gpu_.load;  // all tasks one after the other, each on its faster class
    for (const Pool& pool : pools_) {
      const Time faster = std::min(cpu_time(pool), gpu_time(pool));
      if (faster == kCannotRun) continue;
      too_short = std::max(too_short, faster - 1);
      enough += faster * count(pool);
    }
    while (enough - too_short > 1) {
      const Time guess = too_short + (enough - too_short) / 2;
      (fits(guess) ? enough : too_short) = guess;
    }
    fits(enough);
    return to_gpu_;
  }

 private:
  /// Tasks of one pool that GPUs are offered one after the other.
  struct Run {
    std::size_t pool;
    Time count;
  };

  /// The tasks of the pools from `begin` to `end`, which have one factor: the most urgent first where GPUs are faster,
  /// else the least urgent.
  void add_runs(std::size_t begin, std::size_t end) {
    if (end - begin == 1) {
      runs_.push_back({begin, count(pools_[begin])});
      return;
    }
    std::vector<std::pair<Waiting, std::size_t>> tasks;
    for (std::size_t pool = begin; pool < end; ++pool) {
      for (Queue side : {pools_[pool].quick, pools_[pool].slow}) {
        for (; !side.empty(); side.pop_front()) tasks.emplace_back(side.front(), pool);
      }
    }
    std::ranges::sort(tasks, [](const auto& a, const auto& b) { return a.first < b.first; });
    if (!pools_[begin].accelerated) std::ranges::reverse(tasks);
    for (const auto& [task, pool] : tasks) runs_.push_back({pool, 1});
  }

  [[nodiscard]] static Time count(const Pool& pool) { return static_cast<Time>(pool.size()); }
  [[nodiscard]] Time cpu_time(const Pool& pool) const { return cpu_.workers > 0 ? pool.cpu : kCannotRun; }
  [[nodiscard]] Time gpu_time(const Pool& pool) const { return gpu_.workers > 0 ? pool.gpu : kCannotRun; }

  bool fits(Time guess) {
    Time cpu_load = cpu_.load;
    Time gpu_load = gpu_.load;
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      const Time cpu = cpu_time(pools_[i]);
      const Time gpu = gpu_time(pools_[i]);
      const bool gpu_only = cpu > guess && gpu != kCannotRun;
      // Where no worker is there that could run a task, it waits on the side of a class that could.
      to_gpu_[i] = gpu_only || pools_[i].cpu == kCannotRun ? pools_[i].size() : 0;
      if (gpu_only) gpu_load += gpu * count(pools_[i]);
    }
    const Time gpu_capacity = capacity(gpu_.workers, guess);
    if (gpu_load > gpu_capacity) return false;
    for (const Run run : runs_) {
      const Time cpu = cpu_time(pools_[run.pool]);
      const Time gpu = gpu_time(pools_[run.pool]);
      if (cpu > guess) continue;
      const Time taken = gpu <= guess ? within(gpu_capacity - gpu_load, gpu, run.count) : 0;
      to_gpu_[run.pool] += static_cast<std::size_t>(taken);
      if (taken > 0) gpu_load += taken * gpu;
      cpu_load += (run.count - taken) * cpu;
    }
    return cpu_load <= capacity(cpu_.workers, guess);
  }

  /// How many of `count` tasks start before `room` is used up.
  [[nodiscard]] static Time within(Time room, Time duration, Time count) {
    if (duration == 0) return count;
    return std::min(count, room > 0 ? (room - 1) / duration + 1 : 0);
  }

  std::span<const Pool> pools_;
  std::vector<Run> runs_;  ///< by decreasing factor
  Side cpu_;
  Side gpu_;
  std::vector<std::size_t> to_gpu_;
};

/// DualHP: whenever tasks become ready, all ready tasks are assigned anew to CPUs or GPUs by dual approximation; an
/// idle worker takes the most urgent task assigned to its class. On independent tasks at most twice the optimum.
///
/// The thesis leaves open how running tasks count: here what is left of them is load of their class. It also leaves
/// open which of several tasks with equal factors go to the GPU: here the most urgent go to the faster class. Types do
/// not matter, only durations.
class DualHp {
 public:
  enum class Order : std::uint8_t { min, avg, fifo };

  explicit DualHp(Order order) : order_(order) {}

  void start(const View& view) {
    Ranking ranking{{}, AccelerationRanks(view.instance())};
    if (order_ != Order::fifo) {
      ranking.urgency = bottom_levels(view.instance(), order_ == Order::min ? Rank::min : Rank::avg);
    }
    ranking_ = std::make_shared<const Ranking>(std::move(ranking));
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) {
      const std::int64_t urgency = order_ == Order::fifo ? -arrivals_++ : ranking_->urgency[task];
      pool_of(view, view.instance().costs.row(task)).insert({urgency, task});
    }
    assigned_ = false;
  }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) ready(view, std::span(&action.task, 1));
  }

  void workers_changed(const View&) { assigned_ = false; }

  [[nodiscard]] Action next(const View& view) {
    for (const ClassId c : {kGpu, kCpu}) {
      const WorkerId worker = view.first_idle(c);
      if (worker == kNone<WorkerId>) continue;
      if (!assigned_) assign(view);
      if (Queue* queue = most_urgent(c)) {
        const TaskId task = queue->front().task;
        queue->pop_front();
        return run(task, worker);
      }
    }
    return wait();
  }

 private:
  /// What never changes during a run; clones share it.
  struct Ranking {
    Table<TaskId, std::int64_t> urgency;  ///< empty for fifo
    AccelerationRanks acceleration;
  };

  [[nodiscard]] Pool& pool_of(const View& view, std::uint32_t row) {
    const auto durations = view.instance().costs.estimate_row(row);
    Pool pool{ranking_->acceleration.rank(row), durations[0], durations[1], ranking_->acceleration.accelerated(row)};
    const auto place = [](const Pool& one) { return std::tuple(one.acceleration, -one.cpu, -one.gpu); };
    const auto found = std::ranges::lower_bound(pools_, place(pool), {}, place);
    if (found != pools_.end() && place(*found) == place(pool)) return *found;
    return *pools_.insert(found, std::move(pool));
  }

  [[nodiscard]] static Assignment::Side side(const View& view, ClassId c) {
    Assignment::Side side;
    for (const WorkerId worker : view.platform().workers(c)) {
      if (!view.is_available(worker)) continue;
      ++side.workers;
      side.load += view.expected_end(worker) - view.now();
    }
    return side;
  }

  void assign(const View& view) {
    std::erase_if(pools_, [](const Pool& pool) { return pool.size() == 0; });
    Assignment assignment(pools_, side(view, kCpu), side(view, kGpu));
    const std::vector<std::size_t>& to_gpu = assignment.solve();
    for (std::size_t i = 0; i < pools_.size(); ++i) pools_[i].assign(to_gpu[i]);
    assigned_ = true;
  }

  /// The queue, of those assigned to the class, whose first task is the most urgent; null when all are empty.
  [[nodiscard]] Queue* most_urgent(ClassId c) {
    Queue* best = nullptr;
    for (Pool& pool : pools_) {
      Queue& queue = pool.side(c);
      if (!queue.empty() && (best == nullptr || queue.front() < best->front())) best = &queue;
    }
    return best;
  }

  Order order_;
  std::shared_ptr<const Ranking> ranking_;
  std::vector<Pool> pools_;  ///< by decreasing acceleration factor; equal ones by decreasing duration
  bool assigned_ = false;    ///< since the last task became ready
  std::int64_t arrivals_ = 0;
};

}  // namespace

Entry dual_hp() {
  return {
      .name = "dual-hp",
      .summary = "Whenever tasks become ready, dual approximation divides all ready tasks between CPUs and GPUs",
      .publication = "Kumar 2017, section 5.6; Bleuse et al. 2014, hal-01081629, section 3.2",
      .complexity =
          "O(e + n (w + r + log n)) with r different durations among the ready tasks, for about 40 guesses whenever "
          "tasks become "
          "ready",
      .options = {choice("rank", "min", {"min", "avg", "fifo"},
                         "order of the tasks assigned to a class: by bottom level with the smallest (min) or the mean "
                         "(avg) duration of a task as weight, or as they become ready (fifo)")},
      .needs =
          [](const Options& options) {
            return Needs{.whole_graph = options.text("rank") != "fifo", .two_classes = true};
          },
      .make =
          [](const Setup& setup) { return Policy(DualHp(static_cast<DualHp::Order>(setup.options.choice("rank")))); }};
}

}  // namespace heddle::policy
