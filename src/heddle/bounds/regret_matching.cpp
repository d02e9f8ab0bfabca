#include "heddle/bounds/regret_matching.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace heddle::bounds {
namespace {

/// Chances in proportion to regrets; as they were where there are none.
void match(std::span<const double> regrets, std::span<double> chances) {
  const double sum = std::accumulate(regrets.begin(), regrets.end(), 0.0);
  if (sum <= 0) return;
  for (std::size_t i = 0; i < chances.size(); ++i) chances[i] = regrets[i] / sum;
}

/// Takes note of what each choice would have gained over the mean.
void regret(std::span<double> regrets, std::span<double> chances, std::span<const double> gains) {
  const double mean = std::inner_product(gains.begin(), gains.end(), chances.begin(), 0.0);
  for (std::size_t i = 0; i < gains.size(); ++i) regrets[i] = std::max(regrets[i] + gains[i] - mean, 0.0);
  match(regrets, chances);
}

/// Later rounds count more, by the eighth power.
double weight_of_round(std::size_t round) {
  const auto x = static_cast<double>(round);
  const double square = x * x;
  return square * square * square * square;
}

}  // namespace

RegretMatching::RegretMatching(const SaddlePoint& problem)
    : problem_(problem),
      shares_(problem.times.size(), 0.0),
      share_regret_(problem.times.size(), 0.0),
      turn_(problem.to.size(), 0.0),
      turn_regret_(problem.to.size(), 0.0),
      duals_(problem.classes + 1, 0.0),
      dual_regret_(problem.classes + 1, 0.0),
      inflow_(problem.tasks + 1, 0.0),
      duration_(problem.tasks, 0.0),
      ahead_(problem.tasks + 1, 0.0),
      work_(problem.classes, 0.0),
      dual_of_worker_(problem.classes, 0.0),
      average_{std::vector<double>(problem.times.size(), 0.0), std::vector<double>(problem.to.size(), 0.0),
               std::vector<double>(problem.classes, 0.0)} {
  for (std::size_t t = 0; t < problem.tasks; ++t) {
    const auto times = problem.times_of(t);
    const auto possible = std::ranges::count_if(times, [](double time) { return time >= 0; });
    for (std::size_t r = 0; r < problem.classes; ++r) {
      if (times[r] >= 0) shares_[t * problem.classes + r] = 1 / static_cast<double>(possible);
    }
    const double turns = problem.first[t + 1] - problem.first[t];
    std::fill(turn_.begin() + problem.first[t], turn_.begin() + problem.first[t + 1], 1 / turns);
    if (problem.is_first[t]) first_tasks_.push_back(static_cast<std::uint32_t>(t));
  }
  entry_.assign(first_tasks_.size(), 1 / static_cast<double>(first_tasks_.size()));
  entry_regret_.assign(first_tasks_.size(), 0.0);
  const auto working = std::ranges::count_if(problem.workers, [](double workers) { return workers > 0; });
  for (std::size_t r = 0; r <= problem.classes; ++r) {
    if (r == problem.classes || problem.workers[r] > 0) duals_[r] = 1 / static_cast<double>(working + 1);
  }
}

void RegretMatching::run(std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) play();
}

void RegretMatching::play() {
  const double weight = weight_of_round(++rounds_);
  weights_ += weight;
  const double fraction = weight / weights_;
  for (std::size_t r = 0; r < problem_.classes; ++r) {
    average_.duals[r] += fraction * (duals_[r] - average_.duals[r]);
    if (problem_.workers[r] > 0) dual_of_worker_[r] = duals_[r] / problem_.workers[r];
  }
  play_tasks(fraction);
  play_paths();
}

/// Sends the flow through the graph, and lets each task answer to what comes through it.
void RegretMatching::play_tasks(double fraction) {
  std::ranges::fill(inflow_, 0.0);
  std::ranges::fill(work_, 0.0);
  for (std::size_t i = 0; i < entry_.size(); ++i) inflow_[first_tasks_[i]] = duals_.back() * entry_[i];
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    const double flow = inflow_[t];
    for (auto e = problem_.first[t]; e < problem_.first[t + 1]; ++e) {
      const double part = flow * turn_[e];
      inflow_[problem_.to[e]] += part;
      average_.flows[e] += fraction * (part - average_.flows[e]);
    }
    duration_[t] = play_task(t, flow, fraction);
  }
}

/// Answers how long the task takes.
double RegretMatching::play_task(std::size_t task, double flow, double fraction) {
  const std::size_t base = task * problem_.classes;
  const double* times = &problem_.times[base];
  double* shares = &shares_[base];
  double* regrets = &share_regret_[base];
  double mean = 0;
  const auto cost = [&](std::size_t r) { return times[r] * (dual_of_worker_[r] + flow); };
  for (std::size_t r = 0; r < problem_.classes; ++r) {
    if (times[r] >= 0) mean += shares[r] * cost(r);
  }
  double sum = 0;
  for (std::size_t r = 0; r < problem_.classes; ++r) {
    if (times[r] < 0) continue;
    const double gain = mean - cost(r);
    regrets[r] = std::max(regrets[r] + gain, 0.0);
    shares[r] = std::max(regrets[r] + gain, 0.0);  // as if the next round brought the same
    sum += shares[r];
  }
  double duration = 0;
  const double scale = sum > 0 ? 1 / sum : 0;
  for (std::size_t r = 0; r < problem_.classes; ++r) {
    if (times[r] < 0) continue;
    shares[r] = sum > 0 ? shares[r] * scale : average_.shares[base + r];
    average_.shares[base + r] += fraction * (shares[r] - average_.shares[base + r]);
    duration += shares[r] * times[r];
    work_[r] += shares[r] * times[r];
  }
  return duration;
}

/// From the end to the start, lets paths look for the longest way.
void RegretMatching::play_paths() {
  for (std::size_t t = problem_.tasks; t-- > 0;) ahead_[t] = duration_[t] + play_edges(t);
  std::vector<double> gains;
  for (const std::uint32_t task : first_tasks_) gains.push_back(ahead_[task]);
  const double path = std::inner_product(gains.begin(), gains.end(), entry_.begin(), 0.0);
  regret(entry_regret_, entry_, gains);
  play_duals(path);
}

/// Answers the mean length of what follows the task.
double RegretMatching::play_edges(std::size_t task) {
  const auto begin = problem_.first[task];
  const auto end = problem_.first[task + 1];
  if (end - begin == 1) return ahead_[problem_.to[begin]];
  double mean = 0;
  for (auto e = begin; e < end; ++e) mean += turn_[e] * ahead_[problem_.to[e]];
  double sum = 0;
  for (auto e = begin; e < end; ++e) {
    turn_regret_[e] = std::max(turn_regret_[e] + ahead_[problem_.to[e]] - mean, 0.0);
    sum += turn_regret_[e];
  }
  if (sum > 0) {
    const double scale = 1 / sum;
    for (auto e = begin; e < end; ++e) turn_[e] = turn_regret_[e] * scale;
  }
  return mean;
}

void RegretMatching::play_duals(double path) {
  std::vector<double> gains(problem_.classes + 1, 0.0);
  for (std::size_t r = 0; r < problem_.classes; ++r) {
    if (problem_.workers[r] > 0) gains[r] = work_[r] / problem_.workers[r];
  }
  gains.back() = path;
  regret(dual_regret_, duals_, gains);
}

}  // namespace heddle::bounds
