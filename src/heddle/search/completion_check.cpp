#include "heddle/search/completion_check.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace heddle::search {

CompletionCheck::CompletionCheck(const ExactProblem& problem, const Duals& duals, const TimeWindows& windows)
    : problem_(&problem),
      duals_(&duals),
      windows_(&windows),
      by_tail_(problem.task_count()),
      can_run_(std::size_t{problem.task_count()} * problem.class_count(), 0),
      earliest_starts_{std::vector<Time>(problem.task_count(), 0), std::vector<Time>(problem.class_count(), 0)},
      earliest_end_(problem.task_count(), 0),
      costs_(duals.size(), 0),
      offers_(problem.class_count(), 0) {
  std::iota(by_tail_.begin(), by_tail_.end(), Task{0});
  std::ranges::stable_sort(by_tail_, std::greater{}, [&](Task task) { return windows.tail(task); });
}

bool CompletionCheck::paths_fit(const PartialSchedule& partial, Time deadline) {
  const Class classes = problem_->class_count();
  std::ranges::fill(earliest_starts_.on_class, deadline);
  for (Task task = 0; task < problem_->task_count(); ++task) {
    if (partial.started(task)) continue;
    Time ready = std::max({partial.now(), partial.release(task), windows_->head(task)});
    for (const Task predecessor : problem_->predecessors(task)) {
      if (!partial.started(predecessor)) ready = std::max(ready, earliest_end_[predecessor]);
    }
    const Time latest_end = deadline - windows_->tail(task);
    Time earliest_end = kMaxTime;
    Time earliest_start = kMaxTime;
    for (Class c = 0; c < classes; ++c) {
      char& can_run = can_run_[task * classes + c];
      can_run = 0;
      if (!windows_->allowed(task, c)) continue;
      const Time start = std::max(ready, partial.free(c).front());
      const Time end = start + problem_->duration(task, c);
      if (end > latest_end) continue;
      can_run = 1;
      earliest_start = std::min(earliest_start, start);
      earliest_end = std::min(earliest_end, end);
      earliest_starts_.on_class[c] = std::min(earliest_starts_.on_class[c], start);
    }
    if (earliest_end == kMaxTime) return false;
    earliest_starts_.of_task[task] = earliest_start;
    earliest_end_[task] = earliest_end;
  }
  return true;
}

bool CompletionCheck::work_fits(const PartialSchedule& partial, Time deadline) {
  std::ranges::fill(costs_, 0);
  Time until = 0;
  bool any = false;
  for (const Task task : by_tail_) {
    if (partial.started(task)) continue;
    const Time latest_end = deadline - windows_->tail(task);
    if (any && latest_end != until && !affordable(partial, until)) return false;
    any = true;
    until = latest_end;
    for (std::size_t k = 0; k < costs_.size(); ++k) costs_[k] += cost(task, k);
  }
  return !any || affordable(partial, until);
}

std::int64_t CompletionCheck::cost(Task task, std::size_t k) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (Class c = 0; c < problem_->class_count(); ++c) {
    if (can_run(task, c)) least = std::min(least, duals_->dual(k, c) * problem_->duration(task, c));
  }
  return least;
}

bool CompletionCheck::affordable(const PartialSchedule& partial, Time until) {
  for (Class c = 0; c < problem_->class_count(); ++c) {
    offers_[c] = 0;
    for (const Time free : partial.free(c)) offers_[c] += std::max<Time>(0, until - std::max(free, partial.now()));
  }
  for (std::size_t k = 0; k < costs_.size(); ++k) {
    std::int64_t budget = 0;
    for (Class c = 0; c < problem_->class_count(); ++c) budget += duals_->dual(k, c) * offers_[c];
    if (costs_[k] > budget) return false;
  }
  return true;
}

}  // namespace heddle::search
