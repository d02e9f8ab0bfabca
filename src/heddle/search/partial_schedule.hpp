#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/search/exact_problem.hpp"

namespace heddle::search {

/// A task's start on some worker of a class.
struct Placement {
  ExactProblem::Task task;
  ExactProblem::Class c;
  Time start;
};

/// Times before which no task starts, and none starts on a class.
struct EarliestStarts {
  std::vector<Time> of_task;
  std::vector<Time> on_class;
};

/// A schedule in the making: tasks are placed by ascending start, on the worker of a class that is free first.
class PartialSchedule {
 public:
  using Task = ExactProblem::Task;
  using Class = ExactProblem::Class;

  explicit PartialSchedule(const ExactProblem& problem);

  void place(const Placement& placement);
  void remove_last();

  [[nodiscard]] const std::vector<Placement>& placements() const { return placements_; }
  [[nodiscard]] bool complete() const { return placements_.size() == started_.size(); }
  /// When its last task ends; 0 when there is none.
  [[nodiscard]] Time makespan() const;
  /// The last start: no task will start earlier.
  [[nodiscard]] Time now() const { return placements_.empty() ? 0 : placements_.back().start; }
  [[nodiscard]] bool started(Task task) const { return started_[task] != 0; }
  /// Whether all its predecessors have started.
  [[nodiscard]] bool released(Task task) const { return missing_[task] == 0; }
  /// When those of its predecessors and rivals that have started are all done.
  [[nodiscard]] Time release(Task task) const { return release_[task]; }
  /// When the workers of the class are free, ascending.
  [[nodiscard]] const std::vector<Time>& free(Class c) const { return free_[c]; }

  /// Which tasks have started, a bit each, in so many words.
  [[nodiscard]] std::size_t words() const { return (started_.size() + kBits - 1) / kBits; }
  void write_started(std::vector<std::int64_t>& bits) const;
  /// All that matters about the future: now, when workers are free, and when tasks that have not started may. Schedules
  /// of the same tasks have fronts of the same length; where one's is nowhere later, it can be completed like the
  /// other. Times are raised to `earliest`, what is known about the completions of interest: all the same to them.
  void write_front(std::vector<Time>& front, const EarliestStarts& earliest) const;

 private:
  static constexpr Task kBits = 64;

  void delay(Task task, Time end);

  const ExactProblem* problem_;
  std::vector<Placement> placements_;
  std::vector<std::uint8_t> started_;
  std::vector<std::uint32_t> missing_;     ///< predecessors that have not started
  std::vector<std::uint32_t> neighbours_;  ///< predecessors and rivals that have
  std::vector<Time> release_;
  std::vector<std::vector<Time>> free_;
  std::vector<Time> undo_;  ///< what place() overwrote: a worker's time, then releases
};

}  // namespace heddle::search
