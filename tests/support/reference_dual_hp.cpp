#include "tests/support/reference_dual_hp.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "heddle/model/levels.hpp"
#include "tests/support/plain_factors.hpp"
#include "tests/support/plain_loop.hpp"

namespace heddle::test {
namespace {

class PlainDualHp : public PlainLoop {
 public:
  PlainDualHp(const Instance& instance, DualOrder order)
      : PlainLoop(instance), gpu_task_(instance.graph.task_count(), false) {
    if (order != DualOrder::fifo) level_ = bottom_levels(instance, order == DualOrder::min ? Rank::min : Rank::avg);
  }

 private:
  void become_ready(TaskId task) override {
    PlainLoop::become_ready(task);
    stale_ = true;
  }

  bool act_once() override {
    if (std::exchange(stale_, false)) assign();
    for (const ClassId c : {kGpu, kCpu}) {
      const std::optional<WorkerId> worker = idle(c);
      if (!worker) continue;
      for (const TaskId task : by_urgency()) {
        if (gpu_task_[task] != (c == kGpu)) continue;
        begin(task, *worker);
        return true;
      }
    }
    return false;
  }

  /// The ready tasks, the most urgent first; `ready_` itself is in the order of arrival.
  [[nodiscard]] std::vector<TaskId> by_urgency() const {
    std::vector<TaskId> tasks = ready_;
    if (level_.empty()) return tasks;
    std::ranges::sort(tasks);
    std::ranges::stable_sort(tasks, std::greater<>(), [this](TaskId task) { return level_[task]; });
    return tasks;
  }

  /// Ready tasks in the order in which GPUs are loaded: by decreasing factor; of equal ones, the most urgent go to the
  /// faster class.
  [[nodiscard]] std::vector<TaskId> by_factor() const {
    std::vector<TaskId> tasks = by_urgency();
    const auto slower = std::ranges::stable_partition(
        tasks, [this](TaskId task) { return duration(task, kCpu) >= duration(task, kGpu); });
    std::ranges::reverse(slower);
    std::ranges::stable_sort(tasks, [this](TaskId a, TaskId b) { return compare_factors(in_.costs, a, b) > 0; });
    return tasks;
  }

  [[nodiscard]] Time load(ClassId c) const {
    Time left = 0;
    for (const Run& run : running_) left += class_of(run) == c ? expected_end(run) - now_ : 0;
    return left;
  }

  /// Which ready tasks a guess gives to GPUs; nothing when it is too short.
  [[nodiscard]] std::optional<std::vector<TaskId>> try_guess(Time guess) const {
    Time gpu_room = guess * in_.platform.worker_count(kGpu) - load(kGpu);
    Time cpu_room = guess * in_.platform.worker_count(kCpu) - load(kCpu);
    std::vector<TaskId> gpu_tasks;
    for (const TaskId task : by_factor()) {
      if (duration(task, kCpu) <= guess) continue;
      gpu_tasks.push_back(task);
      gpu_room -= duration(task, kGpu);
    }
    if (gpu_room < 0) return std::nullopt;
    for (const TaskId task : by_factor()) {
      if (duration(task, kCpu) > guess) continue;
      if (duration(task, kGpu) <= guess && (gpu_room > 0 || duration(task, kGpu) == 0)) {
        gpu_tasks.push_back(task);
        gpu_room -= duration(task, kGpu);
      } else {
        cpu_room -= duration(task, kCpu);
      }
    }
    if (cpu_room < 0) return std::nullopt;
    return gpu_tasks;
  }

  /// Bisects between guesses that some task cannot meet anywhere and one that permits all tasks one after the other,
  /// each on its faster class. Longer guesses need not be good where a shorter one is, so the way matters.
  void assign() {
    Time too_short = -1;
    Time enough = load(kCpu) + load(kGpu);
    for (const TaskId task : ready_) {
      const Time faster = std::min(duration(task, kCpu), duration(task, kGpu));
      too_short = std::max(too_short, faster - 1);
      enough += faster;
    }
    while (enough - too_short > 1) {
      const Time guess = too_short + (enough - too_short) / 2;
      (try_guess(guess) ? enough : too_short) = guess;
    }
    for (const TaskId task : ready_) gpu_task_[task] = false;
    const std::optional<std::vector<TaskId>> gpu_tasks = try_guess(enough);
    for (const TaskId task : gpu_tasks.value()) gpu_task_[task] = true;
  }

  Table<TaskId, std::int64_t> level_;  ///< empty for the order of arrival
  Table<TaskId, bool> gpu_task_;
  bool stale_ = false;
};

}  // namespace

std::vector<Attempt> reference_dual_hp(const Instance& instance, DualOrder order) {
  return PlainDualHp(instance, order).run();
}

}  // namespace heddle::test
