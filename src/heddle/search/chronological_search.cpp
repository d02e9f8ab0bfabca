#include "heddle/search/chronological_search.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace heddle::search {

ChronologicalSearch::ChronologicalSearch(const ExactProblem& problem, const Duals& duals, const TimeWindows& windows,
                                         Time deadline, std::size_t memory_bytes, Callbacks callbacks)
    : problem_(&problem),
      windows_(&windows),
      deadline_(deadline),
      callbacks_(std::move(callbacks)),
      partial_(problem),
      check_(problem, duals, windows),
      any_time_{std::vector<Time>(problem.task_count(), 0), std::vector<Time>(problem.class_count(), 0)},
      seen_(partial_.words(), memory_bytes) {
  rank_placements();
}

/// The tasks with the longest paths to the end first, each on its fastest class first.
void ChronologicalSearch::rank_placements() {
  const Class classes = problem_->class_count();
  std::vector<std::uint32_t> order(std::size_t{problem_->task_count()} * classes);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t number) {
    const Task task = number / classes;
    const Class c = number % classes;
    return std::tuple(-windows_->tail(task) - windows_->shortest(task), task, problem_->duration(task, c), c);
  });
  ranks_.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks_[order[i]] = i;
}

bool ChronologicalSearch::run() {
  visit();
  return !stopped_;
}

void ChronologicalSearch::visit() {
  if (callbacks_.stop()) {
    stopped_ = true;
    return;
  }
  if (partial_.makespan() > deadline_) return;  // it has come down since
  if (partial_.complete()) {
    callbacks_.found(partial_.placements());
    deadline_ = partial_.makespan() - 1;
    return;
  }
  if (!check_.paths_fit(partial_, deadline_)) return;
  std::vector<std::int64_t> tasks;
  std::vector<Time> front;
  partial_.write_started(tasks);
  partial_.write_front(front, check_.earliest_starts());
  if (seen_.dominates(tasks, front) || !check_.work_fits(partial_, deadline_)) return;
  partial_.write_front(front, any_time_);
  for (const Child& child : children()) {
    if (child.end + windows_->tail(child.placement.task) > deadline_) continue;
    partial_.place(child.placement);
    visit();
    partial_.remove_last();
    if (stopped_) return;
  }
  seen_.insert(tasks, front);
}

std::vector<ChronologicalSearch::Child> ChronologicalSearch::children() const {
  std::vector<Child> children;
  for (Task task = 0; task < problem_->task_count(); ++task) {
    if (partial_.started(task) || !partial_.released(task)) continue;
    const Task twin = problem_->twin(task);
    if (twin != ExactProblem::kNobody && !partial_.started(twin)) continue;
    for (Class c = 0; c < problem_->class_count(); ++c) {
      if (!check_.can_run(task, c)) continue;
      const Placement placement{task, c, std::max(partial_.release(task), partial_.free(c).front())};
      if (redundant(placement)) continue;
      children.push_back({placement, rank(placement), placement.start + problem_->duration(task, c)});
    }
  }
  std::ranges::sort(children, {}, [](const Child& child) { return std::pair(child.placement.start, child.rank); });
  Time first_end = kMaxTime;
  const auto inactive = std::ranges::find_if(children, [&](const Child& child) {
    if (child.placement.start >= first_end) return true;
    first_end = std::min(first_end, child.end);
    return false;
  });
  children.erase(inactive, children.end());
  return children;
}

bool ChronologicalSearch::redundant(const Placement& placement) const {
  if (placement.start < partial_.now()) return true;
  if (placement.start > partial_.now() || partial_.placements().empty()) return false;
  const Placement& last = partial_.placements().back();
  return rank(placement) < rank(last) && exchangeable(last, placement);
}

/// Two that start together: whether they could be placed in the other order, too.
bool ChronologicalSearch::exchangeable(const Placement& first, const Placement& second) const {
  // One of no length leaves its worker to the other; the other way round it would have to wait.
  if (first.c == second.c && problem_->duration(first.task, first.c) == 0) return false;
  return problem_->twin(second.task) != first.task &&
         !std::ranges::binary_search(problem_->predecessors(second.task), first.task) &&
         !std::ranges::binary_search(problem_->rivals(second.task), first.task);
}

std::uint32_t ChronologicalSearch::rank(const Placement& placement) const {
  return ranks_[placement.task * problem_->class_count() + placement.c];
}

}  // namespace heddle::search
