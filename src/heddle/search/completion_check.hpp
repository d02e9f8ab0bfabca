#pragma once

#include <vector>

#include "heddle/search/duals.hpp"
#include "heddle/search/partial_schedule.hpp"
#include "heddle/search/time_windows.hpp"

namespace heddle::search {

/// What can be said quickly about the completions of a partial schedule that end by a deadline.
class CompletionCheck {
 public:
  using Task = ExactProblem::Task;
  using Class = ExactProblem::Class;

  /// `windows`: of this deadline or a later one.
  CompletionCheck(const ExactProblem& problem, const Duals& duals, const TimeWindows& windows);

  /// False when some task that has not started finds no class on which it, and the longest path after it, would end in
  /// time.
  [[nodiscard]] bool paths_fit(const PartialSchedule& partial, Time deadline);
  /// After paths_fit(). False when, for some time before the deadline, the tasks that must be done by then need more
  /// work than the workers have left.
  [[nodiscard]] bool work_fits(const PartialSchedule& partial, Time deadline);

  /// After paths_fit(). Of every completion that ends in time; the deadline for a class on which none starts a task.
  [[nodiscard]] const EarliestStarts& earliest_starts() const { return earliest_starts_; }
  /// After paths_fit(). False when no completion that ends in time runs the task on this class.
  [[nodiscard]] bool can_run(Task task, Class c) const { return can_run_[task * problem_->class_count() + c] != 0; }

 private:
  [[nodiscard]] std::int64_t cost(Task task, std::size_t k) const;
  [[nodiscard]] bool affordable(const PartialSchedule& partial, Time until);

  const ExactProblem* problem_;
  const Duals* duals_;
  const TimeWindows* windows_;
  std::vector<Task> by_tail_;  ///< longest first
  std::vector<char> can_run_;
  EarliestStarts earliest_starts_;
  std::vector<Time> earliest_end_;
  std::vector<std::int64_t> costs_;
  std::vector<Time> offers_;
};

}  // namespace heddle::search
