#pragma once

#include <cstdint>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::search {

/// An instance as the exact search wants it: tasks in a topological order, their neighbours in both directions, and
/// only the classes that have workers. A class has no more workers than there are tasks.
class ExactProblem {
 public:
  using Task = std::uint32_t;   ///< place in the topological order
  using Class = std::uint32_t;  ///< place among the classes with workers
  static constexpr Task kNobody = ~Task{0};

  explicit ExactProblem(const Instance& instance);

  [[nodiscard]] Task task_count() const { return static_cast<Task>(ids_.size()); }
  [[nodiscard]] Class class_count() const { return static_cast<Class>(classes_.size()); }
  [[nodiscard]] TaskId id(Task task) const { return ids_[task]; }
  [[nodiscard]] ClassId class_id(Class c) const { return classes_[c]; }
  [[nodiscard]] std::uint32_t workers(Class c) const { return workers_[c]; }
  [[nodiscard]] Time duration(Task task, Class c) const { return durations_[task * classes_.size() + c]; }
  [[nodiscard]] const std::vector<Task>& predecessors(Task task) const { return predecessors_[task]; }
  [[nodiscard]] const std::vector<Task>& successors(Task task) const { return successors_[task]; }
  /// Tasks that commute with it on some datum: they never overlap with it, in whichever order.
  [[nodiscard]] const std::vector<Task>& rivals(Task task) const { return rivals_[task]; }
  /// The task before it in the order that could take its place in every schedule: equal durations and neighbours.
  [[nodiscard]] Task twin(Task task) const { return twins_[task]; }
  /// The tasks one after the other, each on its slowest class.
  [[nodiscard]] Time total_duration() const { return total_; }

 private:
  void link(const TaskGraph& graph);
  void find_rivals(const TaskGraph& graph);
  void find_twins();
  [[nodiscard]] bool interchangeable(Task a, Task b) const;

  std::vector<TaskId> ids_;
  std::vector<ClassId> classes_;
  std::vector<std::uint32_t> workers_;
  std::vector<Time> durations_;
  std::vector<std::vector<Task>> predecessors_;
  std::vector<std::vector<Task>> successors_;
  std::vector<std::vector<Task>> rivals_;
  std::vector<Task> twins_;
  Time total_ = 0;
};

}  // namespace heddle::search
