#include "tests/support/reference_completion_time.hpp"

#include <functional>
#include <tuple>
#include <vector>

#include "tests/support/plain_queues.hpp"

namespace heddle::test {
namespace {

class PlainCompletionTime {
 public:
  explicit PlainCompletionTime(CompletionTimeRules rules) : rules_(rules) {}

  void start(const policy::View& view) {
    queues_.reset(view);
    urgency_.assign(view.graph().task_count(), 0);
    if (rules_.batch) urgency_ = bottom_levels(view.instance(), *rules_.batch);
  }

  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    std::vector<TaskId> batch(tasks.begin(), tasks.end());
    std::ranges::stable_sort(batch, std::greater<>(), [this](TaskId task) { return urgency_[task]; });
    for (const TaskId task : batch) {
      if (rules_.counts_transfers && view.moves_data()) {
        arrived_.push_back(task);
      } else {
        place(view, task);
      }
    }
  }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    while (!arrived_.empty() && !queues_.fetches()) {
      place(view, arrived_.front());
      arrived_.erase(arrived_.begin());
    }
    return queues_.serve(view, [&](WorkerId worker, const std::vector<PlainQueues::Placed>& list) {
      const auto key = [&](const PlainQueues::Placed& placed) {
        const TaskId task = placed.task;
        const std::int64_t misses = rules_.nearest_first ? absent_bytes(view, task, view.memory_of(worker)) : 0;
        return rules_.sorted_queues ? std::tuple(-urgency_[task], misses, index(task))
                                    : std::tuple(Time{0}, misses, std::size_t{0});
      };
      return std::ranges::min_element(list, {}, key) - list.begin();
    });
  }

 private:
  /// A task starts when the worker is free and its data is there; the transfers count besides, as the dual value of
  /// the links, each of which is thought to be shared by twice as many as there are memories beside ram.
  void place(const policy::View& view, TaskId task) {
    const std::size_t sharers = 2 * (view.platform().memories().size() - 1);
    WorkerId best = kNone<WorkerId>;
    Time least = kMaxTime;
    Time work = 0;
    for (const WorkerId worker : view.platform().workers()) {
      const ClassId c = view.platform().class_of(worker);
      if (!view.can_run(task, c)) continue;
      const MemoryId memory = view.memory_of(worker);
      const Time transfers = rules_.counts_transfers ? plain_transfers(view, task, memory, sharers) : 0;
      const Time free = queues_.free_at(view, worker);
      const Time end = std::max(free, view.now() + transfers) + view.estimate(task, c);
      Time sum = free + view.estimate(task, c);
      if (rules_.hides_transfers) {
        sum = end;
      } else {
        sum += transfers;
      }
      sum += transfers * rules_.link_price / 1000;
      if (sum >= least) continue;
      least = sum;
      best = worker;
      work = end - free;
    }
    queues_.append(view, best, {task, work});
  }

  [[nodiscard]] static std::int64_t absent_bytes(const policy::View& view, TaskId task, MemoryId memory) {
    std::int64_t bytes = 0;
    for (const Access access : view.graph().accesses(task)) {
      if (reads(access.mode) && !view.has(access.data, memory)) bytes += view.graph().datum(access.data).bytes;
    }
    return bytes;
  }

  CompletionTimeRules rules_;
  Table<TaskId, std::int64_t> urgency_;
  std::vector<TaskId> arrived_;  ///< each is placed when the data of those before has been asked for
  PlainQueues queues_;
};

}  // namespace

policy::Policy reference_completion_time(CompletionTimeRules rules) {
  return PlainCompletionTime(rules);
}

}  // namespace heddle::test
