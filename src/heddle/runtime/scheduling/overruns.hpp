#pragma once

#include "heddle/runtime/scheduling/afterwards.hpp"
#include "heddle/runtime/scheduling/progress.hpp"
#include "heddle/runtime/scheduling/worker_set.hpp"

namespace heddle::runtime {

/// Tasks that take much longer than believed. A policy that has tasks wait for a busy worker although another is idle
/// believes that this one is free soon. Where it is not, an epoch is to begin, in which the task takes as long again.
class Overruns {
 public:
  /// All must outlive it.
  Overruns(const WorkerSet& workers, Progress& progress, Deferred& deferred)
      : workers_(workers), progress_(progress), deferred_(deferred) {}

  /// Whether some worker is to look later whether a task overruns.
  [[nodiscard]] bool are_watched() const { return progress_.overrun_at != kMaxTime; }
  /// Says when a worker is to look, if tasks wait although another worker is idle (`some_wait`). Whether one overruns.
  [[nodiscard]] bool watch(bool some_wait, Time now);
  /// A worker has begun the execution, while others may wait for an overrun: that may come sooner now.
  void expect(const Execution& execution);

 private:
  const WorkerSet& workers_;
  Progress& progress_;
  Deferred& deferred_;
};

}  // namespace heddle::runtime
