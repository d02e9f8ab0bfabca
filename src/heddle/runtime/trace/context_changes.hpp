#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::runtime {

/// Which workers the contexts of a run had, and when.
class ContextChanges {
 public:
  /// Contexts have these workers; before the first epoch.
  void begin(const Table<ContextId, Context>& contexts) { first_ = known_ = contexts; }
  /// From now on they have these. More contexts may follow those that there were.
  void note(const Table<ContextId, Context>& contexts, Time now);

  /// With the workers that they had when the first task was taken up, or when they were made.
  [[nodiscard]] const Table<ContextId, Context>& first() const { return first_; }
  /// With all workers that they ever had.
  [[nodiscard]] Table<ContextId, Context> ever() const;
  /// The moves, in the time of the schedule, which begins at `begin`. A worker that left had to end what it ran; if it
  /// was back before that, it has never left.
  [[nodiscard]] std::vector<WorkerMove> moves(const Schedule& schedule, Time begin) const;

 private:
  Table<ContextId, Context> first_;
  Table<ContextId, Context> known_;  ///< with the workers that they had last
  std::vector<WorkerMove> moves_;    ///< that changed the ones into the others
};

}  // namespace heddle::runtime
