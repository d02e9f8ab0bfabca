#include "heddle/bounds/path_program.hpp"

#include <algorithm>
#include <utility>

#include "heddle/bounds/longest_paths.hpp"

namespace heddle::bounds {

PathProgram::PathProgram(const Instance& instance, TaskGroups groups)
    : instance_(instance),
      groups_(std::move(groups)),
      program_(instance),
      work_(instance.graph.task_count(), kInGroup),
      start_(instance.graph.task_count(), 0),
      edges_(instance.graph.task_count()),
      end_(instance.graph.task_count()) {
  for (const WorkGroup& group : groups_.groups) {
    group_work_.push_back(program_.add(group.row, group.tasks, static_cast<std::uint32_t>(group_work_.size())));
    group_tasks_.push_back(group.tasks);
  }
}

bool PathProgram::add_task(TaskId task) {
  if (on_paths(task)) return false;
  program_.resize(group_work_[group(task)], --group_tasks_[group(task)]);
  work_[task] = program_.add(instance_.costs.row(task), 1, group(task));
  start_[task] = program_.program().add_column(0, LinearProgram::kInfinity);
  return true;
}

bool PathProgram::add_edge(TaskId from, TaskId to) {
  auto& edges = edges_[from];
  if (std::ranges::find(edges, to, &Edge::to) != edges.end()) return false;
  const Row row = program_.add_length_row({&work_[from], 1}, 0);
  program_.program().set(row, start_[from], 1);
  program_.program().set(row, start_[to], -1);
  edges.push_back({to, row});
  return true;
}

bool PathProgram::add_end(TaskId task) {
  if (end_[task]) return false;
  const Row row = program_.add_length_row({&work_[task], 1}, 0);
  program_.program().set(row, start_[task], 1);
  program_.program().set(row, program_.makespan(), -1);
  end_[task] = row;
  return true;
}

bool PathProgram::add_path(std::span<const TaskId> path) {
  bool added = false;
  for (const TaskId task : path) added = add_task(task) || added;
  for (std::size_t i = 1; i < path.size(); ++i) added = add_edge(path[i - 1], path[i]) || added;
  return add_end(path.back()) || added;
}

double PathProgram::makespan() const {
  return program_.picoseconds(program_.program().value(program_.makespan()));
}

void PathProgram::spread_group(std::size_t group, std::span<const TaskId> by_urgency, Shares& shares) const {
  struct Part {
    double tasks;  ///< still to hand out
    Time duration;
    ClassId on;
  };
  std::vector<Part> parts;
  const auto row = instance_.costs.actual_row(groups_.groups[group].row);
  for (const ClassId c : instance_.platform.classes()) {
    if (row[index(c)] != kCannotRun) parts.push_back({program_.share(group_work_[group], c), row[index(c)], c});
  }
  std::ranges::sort(parts, {}, &Part::duration);
  auto part = parts.begin();
  for (const TaskId task : by_urgency) {
    for (double left = 1; left > 0;) {
      const bool last = part + 1 == parts.end();  // takes what rounding leaves over
      const double taken = last ? left : std::min(left, part->tasks);
      shares(task, part->on) = taken;
      part->tasks -= taken;
      left -= taken;
      if (left > 0) ++part;
    }
  }
}

Shares PathProgram::shares() const {
  Shares shares(instance_.graph.task_count(), instance_.platform.class_count());
  Table<TaskId, double> duration(instance_.graph.task_count(), 0.0);
  std::vector<std::vector<TaskId>> members(groups_.groups.size());
  for (const TaskId task : instance_.graph.tasks()) {
    if (on_paths(task)) {
      for (const ClassId c : instance_.platform.classes()) {
        if (instance_.costs.actual_row(task)[index(c)] != kCannotRun) shares(task, c) = program_.share(work_[task], c);
      }
      duration[task] = shares.duration(instance_, task);
    } else {
      duration[task] = static_cast<double>(std::ranges::min(instance_.costs.actual_row(task)));
      members[group(task)].push_back(task);
    }
  }
  const LongestPaths paths(instance_.graph, duration);
  Table<TaskId, double> urgency(duration.size());
  for (const TaskId task : duration.ids()) urgency[task] = paths.length(task);
  for (std::size_t g = 0; g < members.size(); ++g) {
    std::ranges::sort(members[g], {}, [&](TaskId task) { return std::pair(-urgency[task], task); });
    spread_group(g, members[g], shares);
  }
  return shares;
}

Certificate::Units PathProgram::flow_through(Row row) const {
  return Certificate::units(-program_.program().dual(row));
}

/// The duals of the paths' rows: how much enters each task from added edges, and how much leaves it on such or ends
/// there.
struct PathProgram::Flow {
  Table<TaskId, Certificate::Units> in;
  Table<TaskId, Certificate::Units> out;

  /// Paths may start anywhere: what leaves a task without having come in starts there.
  [[nodiscard]] Certificate::Units starting(TaskId task) const {
    return std::max<Certificate::Units>(out[task] - in[task], 0);
  }
  /// And may end anywhere.
  [[nodiscard]] Certificate::Units through(TaskId task) const { return std::max(in[task], out[task]); }
};

PathProgram::Flow PathProgram::flow() const {
  const std::size_t tasks = instance_.graph.task_count();
  Flow flow{Table<TaskId, Certificate::Units>(tasks, 0), Table<TaskId, Certificate::Units>(tasks, 0)};
  for (const TaskId task : instance_.graph.tasks()) {
    if (end_[task]) flow.out[task] += flow_through(*end_[task]);
    for (const Edge& edge : edges_[task]) {
      flow.out[task] += flow_through(edge.row);
      flow.in[edge.to] += flow_through(edge.row);
    }
  }
  return flow;
}

Certificate PathProgram::certificate(const Flow& flow) const {
  Certificate certificate = program_.certificate();
  std::vector<std::vector<Wide>> in_windows;
  for (std::uint32_t g = 0; g < groups_.groups.size(); ++g) {
    in_windows.push_back(program_.in_windows(g));
    certificate.add_work(instance_.costs.actual_row(groups_.groups[g].row), group_tasks_[g], 0, in_windows.back());
  }
  for (const TaskId task : instance_.graph.tasks()) {
    if (!on_paths(task)) continue;
    certificate.add_work(instance_.costs.actual_row(task), 1, flow.through(task), in_windows[group(task)]);
    certificate.add_flow(flow.starting(task));
  }
  return certificate;
}

std::vector<TaskId> PathProgram::heaviest_path(const Flow& flow) const {
  const auto tasks = instance_.graph.tasks();
  if (tasks.empty()) return {};
  const TaskId first = *std::ranges::max_element(tasks, {}, [&](TaskId task) { return flow.starting(task); });
  if (flow.starting(first) == 0) return {};
  std::vector<TaskId> path{first};
  while (true) {
    const TaskId task = path.back();
    const auto next = std::ranges::max_element(edges_[task], {}, [&](const Edge& e) { return flow_through(e.row); });
    const Certificate::Units most = next == edges_[task].end() ? 0 : flow_through(next->row);
    if (most == 0 || (end_[task] && flow_through(*end_[task]) > most)) return path;
    path.push_back(next->to);
  }
}

Bound PathProgram::bound() const {
  const Flow flow = this->flow();
  const Certificate certificate = this->certificate(flow);
  Bound bound;
  bound.value = certificate.bound();
  bound.use = program_.use();
  bound.full_classes = certificate.weighed_classes();
  bound.path = heaviest_path(flow);
  bound.windows = program_.binding_windows();
  return bound;
}

}  // namespace heddle::bounds
