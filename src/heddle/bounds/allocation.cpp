#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

double Shares::duration(const Instance& instance, TaskId task) const {
  double duration = 0;
  for (const ClassId c : instance.platform.classes()) {
    const Time time = instance.costs.actual(task, c);
    if (time != kCannotRun) duration += (*this)(task, c) * static_cast<double>(time);
  }
  return duration;
}

Table<TaskId, double> Shares::durations(const Instance& instance) const {
  Table<TaskId, double> durations(instance.graph.task_count());
  for (const TaskId task : durations.ids()) durations[task] = duration(instance, task);
  return durations;
}

}  // namespace heddle::bounds
