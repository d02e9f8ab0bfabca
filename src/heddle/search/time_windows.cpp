#include "heddle/search/time_windows.hpp"

#include <algorithm>

namespace heddle::search {

TimeWindows::TimeWindows(const ExactProblem& problem, const Duals& duals)
    : problem_(&problem),
      duals_(&duals),
      heads_(problem.task_count(), 0),
      tails_(problem.task_count(), 0),
      allowed_(std::size_t{problem.task_count()} * problem.class_count(), 1),
      shortest_(problem.task_count(), 0),
      costs_(problem.task_count() * duals.size(), 0),
      between_(std::size_t{problem.task_count()} * problem.task_count(), -1) {
  for (Task task = 0; task < problem.task_count(); ++task) {
    for (Class c = 0; c < problem.class_count(); ++c) {
      if (problem.duration(task, c) == kCannotRun) allowed_[task * problem.class_count() + c] = 0;
    }
  }
}

bool TimeWindows::tighten(Time deadline, const Stop& stop) {
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds && !stop(); ++round) {
    changed = false;
    if (!restrict_classes(deadline, changed)) return false;
    dual_tasks();
    find_paths();
    const std::vector<Time> heads = heads_;
    const std::vector<Time> tails = tails_;
    raise_heads(stop);
    raise_tails(stop);
    std::vector<Item> all;
    for (Task task = 0; task < problem_->task_count(); ++task) all.push_back({heads_[task], tails_[task], task});
    if (span_needed(all) > deadline) return false;
    changed = changed || heads != heads_ || tails != tails_;
  }
  return true;
}

bool TimeWindows::shave(Time deadline, const Stop& stop) {
  if (!tighten(deadline, stop)) return false;
  for (bool changed = true; changed;) {
    changed = false;
    for (Task task = 0; task < problem_->task_count(); ++task) {
      if (stop()) return true;
      for (Class c = 0; c < problem_->class_count(); ++c) {
        if (!allowed(task, c) || assigned(task, c).tighten(deadline, stop)) continue;
        allowed_[task * problem_->class_count() + c] = 0;
        if (!tighten(deadline, stop)) return false;
        changed = true;
      }
    }
  }
  return true;
}

TimeWindows TimeWindows::assigned(Task task, Class c) const {
  TimeWindows windows = *this;
  for (Class other = 0; other < problem_->class_count(); ++other) {
    if (other != c) windows.allowed_[task * problem_->class_count() + other] = 0;
  }
  return windows;
}

bool TimeWindows::restrict_classes(Time deadline, bool& changed) {
  for (Task task = 0; task < problem_->task_count(); ++task) {
    Time shortest = kCannotRun;
    for (Class c = 0; c < problem_->class_count(); ++c) {
      char& allowed = allowed_[task * problem_->class_count() + c];
      if (allowed == 0) continue;
      if (heads_[task] + problem_->duration(task, c) + tails_[task] > deadline) {
        allowed = 0;
        changed = true;
      } else {
        shortest = std::min(shortest, problem_->duration(task, c));
      }
    }
    if (shortest == kCannotRun) return false;
    shortest_[task] = shortest;
  }
  return true;
}

void TimeWindows::dual_tasks() {
  for (Task task = 0; task < problem_->task_count(); ++task) {
    for (std::size_t k = 0; k < duals_->size(); ++k) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (Class c = 0; c < problem_->class_count(); ++c) {
        if (allowed(task, c)) least = std::min(least, duals_->dual(k, c) * problem_->duration(task, c));
      }
      costs_[task * duals_->size() + k] = least;
    }
  }
}

void TimeWindows::find_paths() {
  const Task n = problem_->task_count();
  for (Task from = 0; from < n; ++from) {
    Time* path = between_.data() + std::size_t{from} * n;
    for (Task to = from + 1; to < n; ++to) {
      for (const Task p : problem_->predecessors(to)) {
        if (p == from) path[to] = std::max<Time>(path[to], 0);
        if (p > from && path[p] >= 0) path[to] = std::max(path[to], path[p] + shortest_[p]);
      }
    }
  }
}

void TimeWindows::raise_heads(const Stop& stop) {
  std::vector<Item> before;
  for (Task task = 0; task < problem_->task_count() && !stop(); ++task) {
    before.clear();
    for (Task other = 0; other < task; ++other) {
      const Time path = between_[std::size_t{other} * problem_->task_count() + task];
      if (path >= 0) before.push_back({heads_[other], path, other});
    }
    heads_[task] = std::max(heads_[task], span_needed(before));
  }
}

void TimeWindows::raise_tails(const Stop& stop) {
  std::vector<Item> after;
  for (Task task = problem_->task_count(); task-- > 0 && !stop();) {
    after.clear();
    for (Task other = task + 1; other < problem_->task_count(); ++other) {
      const Time path = between_[std::size_t{task} * problem_->task_count() + other];
      if (path >= 0) after.push_back({path, tails_[other], other});
    }
    tails_[task] = std::max(tails_[task], span_needed(after));
  }
}

Time TimeWindows::span_needed(std::vector<Item>& items) const {
  Time needed = 0;
  std::ranges::sort(
      items, [](const Item& a, const Item& b) { return a.after != b.after ? a.after > b.after : a.task < b.task; });
  std::vector<std::int64_t> work(duals_->size());
  Time done = -1;
  for (const Item& first : items) {
    needed = std::max(needed, first.before + shortest_[first.task] + first.after);
    if (first.before == done) continue;
    done = first.before;
    std::ranges::fill(work, 0);
    for (const Item& item : items) {
      if (item.before < first.before) continue;
      for (std::size_t k = 0; k < work.size(); ++k) {
        work[k] += costs_[item.task * duals_->size() + k];
        const std::int64_t machine = duals_->machine(k);
        needed = std::max(needed, first.before + item.after + (work[k] + machine - 1) / machine);
      }
    }
  }
  return needed;
}

}  // namespace heddle::search
