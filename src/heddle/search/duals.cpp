#include "heddle/search/duals.hpp"

#include <algorithm>
#include <set>

namespace heddle::search {
namespace {

/// Dual values that make a task cost the same on every class that can run it; the highest is that of its fastest class.
std::vector<std::int64_t> equally_dear(const std::vector<Time>& durations, std::int64_t highest) {
  const Time fastest = *std::ranges::min_element(durations);
  std::vector<std::int64_t> duals;
  for (const Time duration : durations) {
    // Rounded as it comes: every dual values are valid.
    const double part = duration == 0 ? 1 : static_cast<double>(fastest) / static_cast<double>(duration);
    duals.push_back(duration == kCannotRun ? 0 : static_cast<std::int64_t>(part * static_cast<double>(highest)));
  }
  return duals;
}

}  // namespace

Duals::Duals(const ExactProblem& problem, Time horizon) : classes_(problem.class_count()) {
  std::int64_t workers = 1;
  for (Class c = 0; c < problem.class_count(); ++c) workers += problem.workers(c);
  // So that all that is ever summed up stays below 2^62.
  const Time longest = std::max({Time{1}, horizon, problem.total_duration()});
  const std::int64_t highest = std::min((std::int64_t{1} << 62) / longest / workers, std::int64_t{1} << 20);

  for (Class c = 0; c < problem.class_count(); ++c) {
    std::vector<std::int64_t> one(classes_, 0);
    one[c] = highest;
    add(problem, one);
  }
  std::set<std::vector<Time>> seen;
  for (ExactProblem::Task task = 0; task < problem.task_count(); ++task) {
    std::vector<Time> durations;
    for (Class c = 0; c < problem.class_count(); ++c) durations.push_back(problem.duration(task, c));
    if (seen.insert(durations).second) add(problem, equally_dear(durations, highest));
  }
}

void Duals::add(const ExactProblem& problem, const std::vector<std::int64_t>& duals) {
  std::int64_t machine = 0;
  for (Class c = 0; c < problem.class_count(); ++c) machine += duals[c] * problem.workers(c);
  if (machine == 0) return;
  duals_.insert(duals_.end(), duals.begin(), duals.end());
  machine_.push_back(machine);
}

}  // namespace heddle::search
