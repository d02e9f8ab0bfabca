#include "heddle/starpu/plan.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "heddle/io/file.hpp"
#include "heddle/io/schedule_file.hpp"

namespace heddle::starpu {

struct Plan::Inside {
  std::unordered_map<std::string, Attempt> attempts;  ///< by name of the task
};

Plan::Plan(const std::string& file, const Platform& platform) {
  Inside inside;
  for (auto& [name, attempt] : io::read_named_plan(io::read_file(file), file, platform)) {
    if (attempt.outcome == Outcome::completed) inside.attempts.emplace(std::move(name), attempt);
  }
  inside_ = std::make_shared<const Inside>(std::move(inside));
}

bool Plan::knows(std::string_view task) const {
  return inside_->attempts.contains(std::string(task));
}

Schedule Plan::operator()(const Instance& instance) const {
  const TaskGraph& graph = instance.graph;
  Table<TaskId, Time> end(graph.task_count(), 0);
  Table<WorkerId, Time> planned(instance.platform.worker_count(), 0);
  Schedule schedule;
  std::vector<TaskId> others;
  for (const TaskId task : graph.topological_order()) {
    Time ready = 0;
    for (const TaskId before : graph.predecessors(task)) ready = std::max(ready, end[before]);
    end[task] = ready;
    const auto found = inside_->attempts.find(std::string(graph.name(task)));
    const bool is_planned = found != inside_->attempts.end() &&
                            instance.costs.can_run(task, instance.platform.class_of(found->second.worker));
    if (!is_planned) {
      others.push_back(task);
      continue;
    }
    // The program may wait for more than the one that was planned for.
    Attempt attempt = found->second;
    const Time duration = attempt.end - attempt.start;
    attempt.task = task;
    attempt.start = std::max(attempt.start, ready);
    attempt.end = attempt.start + duration;
    schedule.attempts.push_back(attempt);
    end[task] = attempt.end;
    planned[attempt.worker] += duration;
  }
  for (const TaskId task : others) {
    WorkerId least = kNone<WorkerId>;
    for (const WorkerId worker : instance.platform.workers()) {
      if (!instance.costs.can_run(task, instance.platform.class_of(worker))) continue;
      if (least == kNone<WorkerId> || planned[worker] < planned[least]) least = worker;
    }
    schedule.attempts.push_back({task, least, end[task], end[task], Outcome::completed});
    planned[least] += instance.costs.estimate(task, instance.platform.class_of(least));
  }
  return schedule;
}

}  // namespace heddle::starpu
