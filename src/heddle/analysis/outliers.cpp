#include "heddle/analysis/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace heddle::analysis {
namespace {

Time length(const Attempt& attempt) {
  return attempt.end - attempt.start;
}

Time median_of(std::vector<Time> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::vector<Outliers> find_outliers(const Instance& instance, const Schedule& schedule) {
  constexpr Time kDeviations = 5;
  std::map<std::pair<TypeId, ClassId>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
    const Attempt& attempt = schedule.attempts[i];
    if (attempt.outcome != Outcome::completed) continue;
    groups[{instance.graph.type(attempt.task), instance.platform.class_of(attempt.worker)}].push_back(i);
  }
  std::vector<Outliers> found;
  for (const auto& [key, attempts] : groups) {
    if (attempts.size() < kFewestForOutliers) continue;
    std::vector<Time> lengths;
    for (const std::size_t i : attempts) lengths.push_back(length(schedule.attempts[i]));
    Outliers outliers{key.first, key.second, attempts.size(), median_of(lengths), 0, 0, {}};
    for (Time& each : lengths) each = std::abs(each - outliers.median);
    const Time deviation = median_of(std::move(lengths));
    outliers.limit = outliers.median + kDeviations * std::max(deviation + deviation / 2, outliers.median / 100);
    for (const std::size_t i : attempts) {
      if (length(schedule.attempts[i]) <= outliers.limit) continue;
      outliers.slowest.push_back(i);
      outliers.excess += length(schedule.attempts[i]) - outliers.median;
    }
    if (outliers.slowest.empty()) continue;
    std::ranges::stable_sort(outliers.slowest, std::ranges::greater(),
                             [&](std::size_t i) { return length(schedule.attempts[i]); });
    found.push_back(std::move(outliers));
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Outliers::excess);
  return found;
}

}  // namespace heddle::analysis
