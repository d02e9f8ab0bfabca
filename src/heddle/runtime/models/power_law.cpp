#include "heddle/runtime/models/power_law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle::runtime {
namespace {

/// Slopes are taken between all pairs: so many samples are enough.
constexpr std::size_t kMostSamples = 64;
constexpr double kMostExponent = 3;
constexpr Time kLongest = 3600 * kSecond;

/// A sample on logarithmic scales. What libm makes of it is told to policies as a duration, like a measured one.
struct Point {
  double x;
  double y;
};

std::vector<Point> points_of(std::span<const Sample> samples) {
  std::vector<Point> points;
  points.reserve(samples.size());
  for (const Sample& sample : samples) {
    points.push_back(
        {std::log(std::max(sample.size, 1.0)), std::log(static_cast<double>(std::max<Time>(sample.duration, 1)))});
  }
  std::ranges::sort(points, {}, &Point::x);
  if (points.size() <= kMostSamples) return points;
  std::vector<Point> some;
  for (std::size_t i = 0; i < kMostSamples; ++i) some.push_back(points[i * (points.size() - 1) / (kMostSamples - 1)]);
  return some;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Time PowerLaw::operator()(double size) const {
  const double duration = std::exp(intercept + exponent * std::log(std::max(size, 1.0)));
  return static_cast<Time>(std::clamp(duration, 1.0, static_cast<double>(kLongest)));
}

std::optional<PowerLaw> fit_power_law(std::span<const Sample> samples) {
  const std::vector<Point> points = points_of(samples);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (points[j].x < points[i].x) slopes.push_back((points[i].y - points[j].y) / (points[i].x - points[j].x));
    }
  }
  if (points.empty()) return std::nullopt;
  PowerLaw law{.exponent = 1, .is_assumed = slopes.empty()};
  if (!law.is_assumed) law.exponent = std::clamp(median(std::move(slopes)), 0.0, kMostExponent);
  std::vector<double> intercepts;
  for (const Point& point : points) intercepts.push_back(point.y - law.exponent * point.x);
  law.intercept = median(std::move(intercepts));
  return law;
}

}  // namespace heddle::runtime
