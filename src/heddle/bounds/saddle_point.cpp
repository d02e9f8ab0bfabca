#include "heddle/bounds/saddle_point.hpp"

#include <algorithm>
#include <numeric>

#include "heddle/bounds/certificate.hpp"

namespace heddle::bounds {
namespace {

/// The flow by edge as certificates want it: what leaves a task that is not a first one is what came in.
std::vector<double> forward_flow(const SaddlePoint& problem, std::span<const double> flows) {
  std::vector<double> flow(flows.size());
  std::vector<double> in(problem.tasks + 1, 0.0);
  for (std::size_t t = 0; t < problem.tasks; ++t) {
    const auto begin = problem.first[t];
    const auto end = problem.first[t + 1];
    double out = 0;
    for (auto e = begin; e < end; ++e) out += flow[e] = std::max(flows[e], 0.0);
    const double scaled = out > 0 ? in[t] / out : 0;
    for (auto e = begin; e < end; ++e) {
      if (!problem.is_first[t]) flow[e] *= scaled;
      in[problem.to[e]] += flow[e];
    }
  }
  return flow;
}

/// The path that takes the most flow at each turn; empty when there is none.
std::vector<TaskId> heaviest_path(const SaddlePoint& problem, std::span<const double> flow) {
  const auto order = problem.instance.graph.topological_order();
  std::size_t task = problem.tasks;
  double most = 0;
  for (std::size_t t = 0; t < problem.tasks; ++t) {
    if (!problem.is_first[t]) continue;
    const auto edges = flow.subspan(problem.first[t], problem.first[t + 1] - problem.first[t]);
    const double out = std::accumulate(edges.begin(), edges.end(), 0.0);
    if (out > most) {
      most = out;
      task = t;
    }
  }
  std::vector<TaskId> path;
  while (task < problem.tasks) {
    path.push_back(order[task]);
    const auto edges = flow.subspan(problem.first[task], problem.first[task + 1] - problem.first[task]);
    task = problem.to[problem.first[task] + static_cast<std::size_t>(std::ranges::max_element(edges) - edges.begin())];
  }
  return path;
}

}  // namespace

SaddlePoint::SaddlePoint(const Instance& its_instance, double its_scale)
    : instance(its_instance),
      scale(its_scale),
      tasks(its_instance.graph.task_count()),
      classes(its_instance.platform.class_count()),
      first{0} {
  const TaskGraph& graph = instance.graph;
  for (const ClassId c : instance.platform.classes()) workers.push_back(instance.platform.worker_count(c));
  Table<TaskId, std::uint32_t> number(tasks);
  std::uint32_t next = 0;
  for (const TaskId task : graph.topological_order()) number[task] = next++;
  for (const TaskId task : graph.topological_order()) {
    for (const Time time : instance.costs.actual_row(task)) {
      times.push_back(time == kCannotRun ? -1 : static_cast<double>(time) / scale);
    }
    for (const TaskId successor : graph.successors(task)) to.push_back(number[successor]);
    if (graph.successors(task).empty()) to.push_back(next);
    first.push_back(static_cast<std::uint32_t>(to.size()));
    is_first.push_back(static_cast<char>(graph.predecessors(task).empty()));
  }
}

Bound proven_bound(const SaddlePoint& problem, const Solution& solution) {
  const std::vector<double> flow = forward_flow(problem, solution.flows);
  double total = 0;  // 1 for the optimal dual values and flow
  for (const double dual : solution.duals) total += std::max(dual, 0.0);
  for (std::size_t t = 0; t < problem.tasks; ++t) {
    if (!problem.is_first[t]) continue;
    total += std::accumulate(flow.begin() + problem.first[t], flow.begin() + problem.first[t + 1], 0.0);
  }
  Bound bound;
  if (total <= 0) return bound;
  constexpr double kNoDualValue = 1e-8;  // what is left of a dual value on its way to 0
  std::vector<double> duals(problem.classes, 0.0);
  for (std::size_t r = 0; r < problem.classes; ++r) {
    const double dual = solution.duals[r] / total;
    if (problem.workers[r] > 0 && dual > kNoDualValue) duals[r] = dual / problem.workers[r];
  }
  Certificate certificate(problem.instance.platform, duals);
  std::vector<Certificate::Units> in(problem.tasks + 1, 0);
  std::size_t t = 0;
  for (const TaskId task : problem.instance.graph.topological_order()) {
    Certificate::Units out = 0;
    for (auto e = problem.first[t]; e < problem.first[t + 1]; ++e) {
      const Certificate::Units units = Certificate::units(flow[e] / total);
      out += units;
      in[problem.to[e]] += units;
    }
    const auto row = problem.instance.costs.actual_row(task);
    certificate.add_work(row, 1, std::max(in[t], out));
    certificate.add_flow(std::max<Certificate::Units>(out - in[t], 0));
    ++t;
  }
  bound.value = certificate.bound();
  bound.full_classes = certificate.weighed_classes();
  bound.path = heaviest_path(problem, flow);
  return bound;
}

Table<TaskId, double> durations(const SaddlePoint& problem, const Solution& solution) {
  Table<TaskId, double> durations(problem.tasks, 0.0);
  auto share = solution.shares.begin();
  auto time = problem.times.begin();
  for (const TaskId task : problem.instance.graph.topological_order()) {
    for (std::size_t r = 0; r < problem.classes; ++r, ++share, ++time) {
      if (*time >= 0) durations[task] += *share * *time * problem.scale;
    }
  }
  return durations;
}

}  // namespace heddle::bounds
