#include "heddle/experiment/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::experiment {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double smallest(const std::vector<double>& values) {
  return *std::ranges::min_element(values);
}

double largest(const std::vector<double>& values) {
  return *std::ranges::max_element(values);
}

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double mean_distance(const std::vector<double>& expected, const std::vector<double>& found) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < found.size(); ++i) distances.push_back(std::abs(expected[i] - found[i]) / found[i]);
  return mean(distances);
}

}  // namespace heddle::experiment
