#include "heddle/search/partial_schedule.hpp"

#include <algorithm>
#include <ranges>

namespace heddle::search {

PartialSchedule::PartialSchedule(const ExactProblem& problem)
    : problem_(&problem),
      started_(problem.task_count(), 0),
      missing_(problem.task_count(), 0),
      neighbours_(problem.task_count(), 0),
      release_(problem.task_count(), 0) {
  for (Class c = 0; c < problem.class_count(); ++c) free_.emplace_back(problem.workers(c), 0);
  for (Task task = 0; task < problem.task_count(); ++task) {
    missing_[task] = static_cast<std::uint32_t>(problem.predecessors(task).size());
  }
}

void PartialSchedule::place(const Placement& placement) {
  const auto [task, c, start] = placement;
  const Time end = start + problem_->duration(task, c);
  std::vector<Time>& free = free_[c];
  undo_.push_back(free.front());
  const auto later = std::upper_bound(free.begin() + 1, free.end(), end);
  std::move(free.begin() + 1, later, free.begin());
  *(later - 1) = end;

  started_[task] = 1;
  placements_.push_back(placement);
  for (const Task successor : problem_->successors(task)) {
    --missing_[successor];
    delay(successor, end);
  }
  for (const Task rival : problem_->rivals(task)) delay(rival, end);
}

void PartialSchedule::delay(Task task, Time end) {
  ++neighbours_[task];
  undo_.push_back(release_[task]);
  release_[task] = std::max(release_[task], end);
}

void PartialSchedule::remove_last() {
  const auto [task, c, start] = placements_.back();
  const auto restore = [&](const std::vector<Task>& tasks) {
    for (const Task delayed : std::views::reverse(tasks)) {
      --neighbours_[delayed];
      release_[delayed] = undo_.back();
      undo_.pop_back();
    }
  };
  restore(problem_->rivals(task));
  restore(problem_->successors(task));
  for (const Task successor : problem_->successors(task)) ++missing_[successor];
  placements_.pop_back();
  started_[task] = 0;

  std::vector<Time>& free = free_[c];
  const auto taken = std::ranges::lower_bound(free, start + problem_->duration(task, c));
  std::move_backward(free.begin(), taken, taken + 1);
  free.front() = undo_.back();
  undo_.pop_back();
}

Time PartialSchedule::makespan() const {
  Time last = 0;
  for (const std::vector<Time>& workers : free_) last = std::max(last, workers.back());
  return last;
}

void PartialSchedule::write_started(std::vector<std::int64_t>& bits) const {
  bits.assign(words(), 0);
  for (Task task = 0; task < started_.size(); ++task) {
    bits[task / kBits] |= static_cast<std::int64_t>(std::uint64_t{started_[task]} << (task % kBits));
  }
}

void PartialSchedule::write_front(std::vector<Time>& front, const EarliestStarts& earliest) const {
  front.assign(1, std::max(now(), *std::ranges::min_element(earliest.on_class)));
  for (Class c = 0; c < free_.size(); ++c) {
    for (const Time time : free_[c]) front.push_back(std::max(time, earliest.on_class[c]));
  }
  for (Task task = 0; task < started_.size(); ++task) {
    if (started_[task] == 0 && neighbours_[task] != 0) {
      front.push_back(std::max(release_[task], earliest.of_task[task]));
    }
  }
}

}  // namespace heddle::search
