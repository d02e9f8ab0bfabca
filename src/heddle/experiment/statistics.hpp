#pragma once

#include <vector>

namespace heddle::experiment {

/// Of at least one value.
[[nodiscard]] double mean(const std::vector<double>& values);
[[nodiscard]] double smallest(const std::vector<double>& values);
[[nodiscard]] double largest(const std::vector<double>& values);
/// The q-quantile, 0 <= q <= 1, with linear interpolation between neighbours; 0.5 is the median.
[[nodiscard]] double quantile(std::vector<double> values, double q);
/// The sample standard deviation; 0 for a single value.
[[nodiscard]] double deviation(const std::vector<double>& values);
/// The mean of |expected - found| / found over the cases, of each of which both have a value.
[[nodiscard]] double mean_distance(const std::vector<double>& expected, const std::vector<double>& found);

}  // namespace heddle::experiment
