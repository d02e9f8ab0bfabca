#pragma once

#include <cstddef>
#include <functional>

#include "heddle/runtime/scheduling/progress.hpp"
#include "heddle/runtime/scheduling/worker_set.hpp"

namespace heddle::runtime {

/// Tasks that are in local batches of workers whose threads the operating system may not run, and when they are to be
/// withdrawn from there (wake_up.hpp).
class Offers {
 public:
  /// An offer that a worker has not begun for so long is withdrawn. Threads that sleep mostly begin in less.
  static constexpr Time kPatience = 200 * kMicrosecond;

  Offers(const WorkerSet& workers, Progress& progress) : workers_(workers), progress_(progress) {}

  /// The worker was just called. `stays`: the policy pins tasks to workers.
  void note(Worker& worker, Time now, bool stays);
  /// The worker has no offer any more, or has begun it.
  void forget(Worker& worker);
  /// Whether the worker had an offer that it had not begun, and does not have it any more.
  bool withdraw(Worker& worker);
  /// Withdraws the offers that were not begun within kPatience, and calls withdrawn(worker) for each. `acting`: the
  /// worker that is about to begin its own. `stay`: since they were made, the policy pins tasks to workers.
  void withdraw_late(Time now, const Worker* acting, bool stay, const std::function<void(Worker&)>& withdrawn);
  /// Whether some are to be withdrawn later, unless they are begun; finds out which were.
  [[nodiscard]] bool some_left();

 private:
  const WorkerSet& workers_;
  Progress& progress_;
  std::size_t count_ = 0;  ///< workers that have an offer which is not known to be begun
};

}  // namespace heddle::runtime
