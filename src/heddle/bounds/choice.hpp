#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "heddle/model/time.hpp"

namespace heddle::bounds {

/// The fractions of one or two classes that a task takes.
struct Choice {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
  std::size_t second = 0;
  double of_first = 1;

  void improve(double new_cost, std::size_t new_first, std::size_t new_second, double fraction) {
    if (new_cost < cost) *this = {new_cost, new_first, new_second, fraction};
  }
};

/// The cheapest fractions of a task that take no longer than `allowed` in all. `times` has the duration in each class,
/// and `dual values` what a unit of time costs there; some duration is at most `allowed`.
[[nodiscard]] Choice choose(std::span<const Time> times, std::span<const double> duals, double allowed);

}  // namespace heddle::bounds
