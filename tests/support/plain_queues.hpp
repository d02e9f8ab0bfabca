#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// A list in front of each worker, for second versions of policies that look at where data is: these run in the
/// simulator, which alone knows that. All that a worker is given is prefetched.
class PlainQueues {
 public:
  struct Placed {
    TaskId task;
    Time work;  ///< for how long it is expected to keep the worker
  };

  void reset(const policy::View& view) { lists_.assign(view.platform().worker_count(), {}); }
  void append(const policy::View& view, WorkerId worker, Placed placed) {
    lists_[worker].push_back(placed);
    if (view.moves_data()) prefetches_.push_back(policy::prefetch(placed.task, worker));
  }
  /// Whether serve() asks for prefetches next.
  [[nodiscard]] bool fetches() const { return !prefetches_.empty(); }
  [[nodiscard]] std::vector<Placed>& list(WorkerId worker) { return lists_[worker]; }
  /// When the worker is expected to be free of all that it has.
  [[nodiscard]] Time free_at(const policy::View& view, WorkerId worker) const {
    Time free = view.expected_end(worker);
    for (const Placed& placed : lists_[worker]) free += placed.work;
    return free;
  }

  /// The prefetches first; then, for the first idle worker in the service order that has some, the task of its list
  /// that `choose(worker, list)` names by its position.
  template <class Choose>
  [[nodiscard]] policy::Action serve(const policy::View& view, const Choose& choose) {
    if (!prefetches_.empty()) {
      const policy::Action action = prefetches_.front();
      prefetches_.pop_front();
      return action;
    }
    for (std::size_t c = view.platform().class_count(); c-- > 0;) {
      for (const WorkerId worker : view.platform().workers(make_id<ClassId>(c))) {
        std::vector<Placed>& list = lists_[worker];
        if (!view.is_idle(worker) || list.empty()) continue;
        const auto chosen = list.begin() + static_cast<std::ptrdiff_t>(choose(worker, list));
        const TaskId task = chosen->task;
        list.erase(chosen);
        return policy::run(task, worker);
      }
    }
    return policy::wait();
  }

 private:
  Table<WorkerId, std::vector<Placed>> lists_;
  std::deque<policy::Action> prefetches_;
};

/// How long it takes to bring what a task reads into a memory, one after the other: each datum from where it is, or
/// will be, nearest, when so many transfers share each link.
[[nodiscard]] inline Time plain_transfers(const policy::View& view, TaskId task, MemoryId memory, std::size_t sharers) {
  Time sum = 0;
  if (!view.moves_data()) return sum;
  for (const Access access : view.graph().accesses(task)) {
    if (!reads(access.mode) || view.holds(access.data, memory)) continue;
    Time nearest = kMaxTime;
    for (const MemoryId from : view.platform().memories().ids()) {
      if (!view.holds(access.data, from)) continue;
      const std::int64_t bytes = view.graph().datum(access.data).bytes;
      nearest = std::min(nearest, view.routes().duration(from, memory, bytes, sharers));
    }
    if (nearest != kMaxTime) sum += nearest;
  }
  return sum;
}

}  // namespace heddle::test
