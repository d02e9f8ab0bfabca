#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/work_groups.hpp"
#include "heddle/bounds/work_program.hpp"

namespace heddle::bounds {

/// The iterative bound's program, as far as it is needed: a start time for each task of the paths added so far, a row
/// for each of their edges (the compact formulation of Kumar 2017, section 3.4, on part of the graph), and the work of
/// all other tasks by group. Paths that share tasks bring in all their recombinations.
class PathProgram {
 public:
  /// The tasks of a group must have equal durations. The instance must outlive the program.
  PathProgram(const Instance& instance, TaskGroups groups);

  /// Tasks of the graph, each a predecessor of the next. False when the program had all of it.
  bool add_path(std::span<const TaskId> path);
  /// See WorkProgram::add_window.
  void add_window(const ClassWindow& window, std::vector<Time> amounts) {
    program_.add_window(window, std::move(amounts));
  }
  /// See LinearProgram::effort.
  [[nodiscard]] double effort() const { return program_.program().effort(); }
  /// See LinearProgram::minimise.
  bool minimise(const Countdown& countdown) { return program_.program().minimise(countdown); }

  // After minimise:

  /// The program's minimum in picoseconds, as the solver sees it.
  [[nodiscard]] double makespan() const;
  /// What the solver's dual proves, what binds, and the class use.
  [[nodiscard]] Bound bound() const;
  /// How the solution shares tasks out over the classes. Groups leave open which of their tasks takes which class; here
  /// those on the longest paths take the fastest.
  [[nodiscard]] Shares shares() const;

 private:
  using Row = LinearProgram::Row;
  static constexpr WorkProgram::Work kInGroup = std::numeric_limits<WorkProgram::Work>::max();

  struct Edge {
    TaskId to;
    Row row;
  };
  struct Flow;

  [[nodiscard]] std::uint32_t group(TaskId task) const { return groups_.of[task]; }
  [[nodiscard]] bool on_paths(TaskId task) const { return work_[task] != kInGroup; }
  bool add_task(TaskId task);
  bool add_edge(TaskId from, TaskId to);
  bool add_end(TaskId task);
  void spread_group(std::size_t group, std::span<const TaskId> by_urgency, Shares& shares) const;
  [[nodiscard]] Certificate::Units flow_through(Row row) const;
  [[nodiscard]] Flow flow() const;
  [[nodiscard]] Certificate certificate(const Flow& flow) const;
  [[nodiscard]] std::vector<TaskId> heaviest_path(const Flow& flow) const;

  const Instance& instance_;
  TaskGroups groups_;
  WorkProgram program_;
  std::vector<WorkProgram::Work> group_work_;
  std::vector<std::int64_t> group_tasks_;  ///< on no added path
  Table<TaskId, WorkProgram::Work> work_;  ///< kInGroup for tasks on no added path
  Table<TaskId, LinearProgram::Column> start_;
  Table<TaskId, std::vector<Edge>> edges_;
  Table<TaskId, std::optional<Row>> end_;  ///< the row that ends paths at the makespan
};

}  // namespace heddle::bounds
