#include "heddle/policy/kit/ranks/affinity.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "heddle/bounds/area.hpp"
#include "heddle/model/random.hpp"

namespace heddle::policy {
namespace {

/// A duration by which something is divided.
double positive(Time duration) {
  return static_cast<double>(std::max<Time>(duration, 1));
}

/// A row that both of two classes can run.
struct Accelerated {
  std::uint32_t row;
  double factor;
};

std::vector<Accelerated> by_falling_factor(const Instance& instance, std::span<const std::uint32_t> rows) {
  std::vector<Accelerated> result;
  for (const std::uint32_t row : rows) {
    const auto durations = instance.costs.estimate_row(row);
    if (std::ranges::find(durations, kCannotRun) != durations.end()) continue;
    result.push_back({row, positive(durations[0]) / positive(durations[1])});
  }
  std::ranges::stable_sort(result, [](const Accelerated& a, const Accelerated& b) { return a.factor > b.factor; });
  return result;
}

/// The first place behind the widest gap, as a ratio, between neighbours of different groups; the size when there is
/// one group.
std::size_t widest_gap(std::span<const Accelerated> sorted, std::span<const std::uint32_t> group) {
  std::size_t border = sorted.size();
  double widest = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i - 1].factor / sorted[i].factor;
    if (group[i] == group[i - 1] || gap <= widest) continue;
    widest = gap;
    border = i;
  }
  return border;
}

/// The geometric mean of the durations that a class has for some rows, those left out that it cannot run.
double mean_duration(const Instance& instance, ClassId c, std::span<const std::uint32_t> rows) {
  double sum = 0;
  double count = 0;
  for (const std::uint32_t row : rows) {
    const Time duration = instance.costs.estimate_row(row)[index(c)];
    if (duration == kCannotRun) continue;
    sum += deterministic_log(positive(duration));
    ++count;
  }
  return count == 0 ? 0 : deterministic_exp(sum / count);
}

/// The rows that every class with workers can run; all rows when there are none.
std::vector<std::uint32_t> common_rows(const Instance& instance) {
  const std::vector<std::uint32_t> rows = used_rows(instance);
  std::vector<std::uint32_t> common;
  std::ranges::copy_if(rows, std::back_inserter(common), [&](std::uint32_t row) {
    return std::ranges::all_of(instance.platform.classes(), [&](ClassId c) {
      return instance.platform.worker_count(c) == 0 || instance.costs.estimate_row(row)[index(c)] != kCannotRun;
    });
  });
  return common.empty() ? rows : common;
}

}  // namespace

std::vector<std::uint32_t> used_rows(const Instance& instance) {
  std::vector<bool> used(instance.costs.row_count(), false);
  for (const TaskId task : instance.graph.tasks()) used[instance.costs.row(task)] = true;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < used.size(); ++row) {
    if (used[row]) rows.push_back(row);
  }
  return rows;
}

std::vector<std::uint32_t> group_similar(std::span<const double> descending, double tolerance) {
  std::vector<std::uint32_t> group(descending.size(), 0);
  double best = descending.empty() ? 0 : descending.front();
  for (std::size_t i = 1; i < descending.size(); ++i) {
    const bool similar = descending[i] == best || best - descending[i] < tolerance * best;
    group[i] = group[i - 1] + (similar ? 0 : 1);
    if (!similar) best = descending[i];
  }
  return group;
}

std::vector<Affinity> affinities(const Instance& instance) {
  std::vector<Affinity> result(instance.costs.row_count(), Affinity::gpu);
  const std::vector<std::uint32_t> rows = used_rows(instance);
  for (const std::uint32_t row : rows) {
    if (instance.costs.estimate_row(row)[1] == kCannotRun) result[row] = Affinity::cpu;
  }
  const std::vector<Accelerated> sorted = by_falling_factor(instance, rows);
  std::vector<double> factors;
  for (const Accelerated& one : sorted) factors.push_back(one.factor);
  const std::vector<std::uint32_t> group = group_similar(factors, kSimilar);
  const std::size_t border = widest_gap(sorted, group);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i >= border) {
      result[sorted[i].row] = Affinity::cpu;
    } else if (group[i] > 0 && group[i] == group[border - 1]) {
      result[sorted[i].row] = Affinity::between;
    }
  }
  return result;
}

Scores het_index_scores(const Instance& instance) {
  Scores scores(instance.platform.class_count(), std::vector<double>(instance.costs.row_count(), 0.0));
  for (const std::uint32_t row : used_rows(instance)) {
    const auto durations = instance.costs.estimate_row(row);
    Time least = kMaxTime;
    Time most = 0;
    for (const Time duration : durations) {
      if (duration == kCannotRun) continue;
      least = std::min(least, duration);
      most = std::max(most, duration);
    }
    for (const ClassId c : scores.ids()) {
      if (durations[index(c)] == kCannotRun) continue;
      const double own = positive(durations[index(c)]);
      // Two quotients: each is rounded once, so that equal ratios of durations give equal scores.
      scores[c][row] = (positive(most) / own) * (positive(least) / own);
    }
  }
  return scores;
}

Scores area_scores(const Instance& instance) {
  return on_estimates(instance, bounds::area_shares);
}

Table<ClassId, bool> fast_classes(const Instance& instance) {
  const std::vector<std::uint32_t> rows = common_rows(instance);
  Table<ClassId, double> mean(instance.platform.class_count(), 0.0);
  double sum = 0;
  double working = 0;
  for (const ClassId c : mean.ids()) {
    if (instance.platform.worker_count(c) == 0) continue;
    mean[c] = mean_duration(instance, c, rows);
    sum += mean[c];
    ++working;
  }
  Table<ClassId, bool> fast(mean.size(), false);
  for (const ClassId c : mean.ids()) {
    const bool below = mean[c] < sum / working;
    fast[c] = below && instance.platform.worker_count(c) > 0;
  }
  const bool none = std::ranges::none_of(fast, [](bool one) { return one; });
  for (const ClassId c : fast.ids()) fast[c] = fast[c] || (none && instance.platform.worker_count(c) > 0);
  return fast;
}

}  // namespace heddle::policy
