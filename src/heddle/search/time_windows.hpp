#pragma once

#include <functional>
#include <vector>

#include "heddle/search/duals.hpp"
#include "heddle/search/exact_problem.hpp"

namespace heddle::search {

/// What every schedule that ends by a deadline has in common.
class TimeWindows {
 public:
  using Task = ExactProblem::Task;
  using Class = ExactProblem::Class;
  /// Asked now and then; what it ends early is valid as far as it came.
  using Stop = std::function<bool()>;

  TimeWindows(const ExactProblem& problem, const Duals& duals);

  /// Narrows the windows until hardly anything changes. False when no schedule ends by `deadline`; then they mean
  /// nothing. A later call needs a deadline no later.
  [[nodiscard]] bool tighten(Time deadline, const Stop& stop);
  /// Besides, takes a class from a task when tighten() refutes all schedules that run it there (shaving; Martin and
  /// Shmoys 1996). Takes longer than tighten(), by about the number of tasks.
  [[nodiscard]] bool shave(Time deadline, const Stop& stop);

  /// No schedule that ends by the deadline starts the task earlier.
  [[nodiscard]] Time head(Task task) const { return heads_[task]; }
  /// Nor ends it later than this before the deadline.
  [[nodiscard]] Time tail(Task task) const { return tails_[task]; }
  /// Whether some such schedule may run it on the class.
  [[nodiscard]] bool allowed(Task task, Class c) const { return allowed_[task * problem_->class_count() + c] != 0; }
  /// On the classes that are left.
  [[nodiscard]] Time shortest(Task task) const { return shortest_[task]; }

 private:
  struct Item {
    Time before;  ///< it does not start earlier than so long after the interval's begin
    Time after;   ///< nor end later than so long before its end
    Task task;
  };

  /// The windows of those schedules that run the task on the class.
  [[nodiscard]] TimeWindows assigned(Task task, Class c) const;
  [[nodiscard]] bool restrict_classes(Time deadline, bool& changed);
  void dual_tasks();
  void find_paths();
  void raise_heads(const Stop& stop);
  void raise_tails(const Stop& stop);
  /// The shortest interval that offers enough time for these tasks, in total, on every path, and between any two of
  /// their distances from its ends.
  [[nodiscard]] Time span_needed(std::vector<Item>& items) const;

  /// Windows are valid whenever one stops narrowing them.
  static constexpr int kMaxRounds = 20;

  const ExactProblem* problem_;
  const Duals* duals_;
  std::vector<Time> heads_;
  std::vector<Time> tails_;
  std::vector<char> allowed_;
  std::vector<Time> shortest_;
  std::vector<std::int64_t> costs_;  ///< by task, then dual values: what it costs at least
  std::vector<Time> between_;  ///< longest path from the end of a task to the start of another; -1 when there is none
};

}  // namespace heddle::search
