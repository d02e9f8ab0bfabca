#include "heddle/search/exact_problem.hpp"

#include <algorithm>

namespace heddle::search {

ExactProblem::ExactProblem(const Instance& instance) {
  const auto order = instance.graph.topological_order();
  ids_.assign(order.begin(), order.end());
  for (const ClassId c : instance.platform.classes()) {
    if (instance.platform.worker_count(c) == 0) continue;
    classes_.push_back(c);
    workers_.push_back(std::min(instance.platform.worker_count(c), task_count()));
  }
  for (const TaskId task : ids_) {
    Time slowest = 0;
    for (const ClassId c : classes_) {
      const Time duration = instance.costs.actual(task, c);
      durations_.push_back(duration);
      if (duration != kCannotRun) slowest = std::max(slowest, duration);
    }
    total_ += slowest;
  }
  link(instance.graph);
  find_rivals(instance.graph);
  find_twins();
}

void ExactProblem::link(const TaskGraph& graph) {
  Table<TaskId, Task> place(ids_.size());
  for (Task task = 0; task < task_count(); ++task) place[ids_[task]] = task;
  const auto places = [&](std::span<const TaskId> tasks) {
    std::vector<Task> found;
    for (const TaskId task : tasks) found.push_back(place[task]);
    std::ranges::sort(found);
    return found;
  };
  for (const TaskId task : ids_) {
    predecessors_.push_back(places(graph.predecessors(task)));
    successors_.push_back(places(graph.successors(task)));
  }
}

void ExactProblem::find_rivals(const TaskGraph& graph) {
  Table<DataId, std::vector<Task>> commuting(graph.data_count());
  for (Task task = 0; task < task_count(); ++task) {
    for (const Access& access : graph.accesses(ids_[task])) {
      if (access.mode == AccessMode::commute) commuting[access.data].push_back(task);
    }
  }
  rivals_.resize(ids_.size());
  for (const std::vector<Task>& tasks : commuting) {
    for (const Task task : tasks)
      std::ranges::copy_if(tasks, std::back_inserter(rivals_[task]), [&](Task other) { return other != task; });
  }
  for (std::vector<Task>& rivals : rivals_) {
    std::ranges::sort(rivals);
    rivals.erase(std::ranges::unique(rivals).begin(), rivals.end());
  }
}

bool ExactProblem::interchangeable(Task a, Task b) const {
  for (Class c = 0; c < class_count(); ++c) {
    if (duration(a, c) != duration(b, c)) return false;
  }
  return rivals_[a].empty() && rivals_[b].empty() && predecessors_[a] == predecessors_[b] &&
         successors_[a] == successors_[b];
}

void ExactProblem::find_twins() {
  twins_.assign(ids_.size(), kNobody);
  for (Task task = 0; task < task_count(); ++task) {
    for (Task other = task; other-- > 0 && twins_[task] == kNobody;) {
      if (interchangeable(other, task)) twins_[task] = other;
    }
  }
}

}  // namespace heddle::search
