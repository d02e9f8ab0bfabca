#include "heddle/report/ready_queue.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::report {
namespace {

struct Change {
  Time time;
  std::int64_t by;
};

/// When each task completed first; nothing for those that never did.
Table<TaskId, std::optional<Time>> completions(const Instance& instance, const Schedule& schedule) {
  Table<TaskId, std::optional<Time>> completed(instance.graph.task_count());
  for (const Attempt& attempt : schedule.attempts) {
    std::optional<Time>& end = completed[attempt.task];
    if (attempt.outcome == Outcome::completed) end = std::min(end.value_or(attempt.end), attempt.end);
  }
  return completed;
}

/// When each task's last predecessor completed; nothing while one never did.
Table<TaskId, std::optional<Time>> releases(const Instance& instance, const Schedule& schedule) {
  const Table<TaskId, std::optional<Time>> completed = completions(instance, schedule);
  Table<TaskId, std::optional<Time>> released(instance.graph.task_count(), Time{0});
  for (const TaskId task : instance.graph.tasks()) {
    for (const TaskId before : instance.graph.predecessors(task)) {
      std::optional<Time>& release = released[task];
      if (!completed[before]) {
        release.reset();
        break;
      }
      release = std::max(*release, *completed[before]);
    }
  }
  return released;
}

/// Adds up the changes of each instant.
std::vector<QueueStep> accumulate(std::vector<Change> changes) {
  std::ranges::sort(changes, {}, &Change::time);
  std::vector<QueueStep> steps{{0, 0}};
  for (std::size_t i = 0; i < changes.size();) {
    const Time time = changes[i].time;
    std::int64_t depth = steps.back().depth;
    for (; i < changes.size() && changes[i].time == time; ++i) depth += changes[i].by;
    if (time == steps.back().time) {
      steps.back().depth = depth;
    } else if (depth != steps.back().depth) {
      steps.push_back({time, depth});
    }
  }
  return steps;
}

}  // namespace

std::vector<QueueStep> ready_queue(const Instance& instance, const Schedule& schedule) {
  Table<TaskId, std::optional<Time>> ready_since = releases(instance, schedule);
  Table<TaskId, bool> attempted(instance.graph.task_count(), false);
  std::vector<Attempt> by_start = schedule.attempts;
  std::ranges::sort(by_start, {}, [](const Attempt& a) { return std::pair(a.start, a.end); });

  std::vector<Change> changes;
  for (const Attempt& attempt : by_start) {
    // A task that runs although a predecessor never completed was not ready before its first attempt.
    const Time since = ready_since[attempt.task].value_or(attempt.start);
    if (since < attempt.start) {
      changes.push_back({since, 1});
      changes.push_back({attempt.start, -1});
    }
    ready_since[attempt.task] = std::max(since, attempt.end);
    attempted[attempt.task] = true;
  }
  for (const TaskId task : instance.graph.tasks()) {
    if (!attempted[task] && ready_since[task]) changes.push_back({*ready_since[task], 1});
  }
  return accumulate(std::move(changes));
}

}  // namespace heddle::report
