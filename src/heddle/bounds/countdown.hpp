#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace heddle::bounds {

/// What is left of a budget of wall-clock seconds; without a budget, for ever.
class Countdown {
 public:
  explicit Countdown(std::optional<double> seconds) : seconds_(seconds) {}

  /// At least 0; nothing without a budget.
  [[nodiscard]] std::optional<double> left() const {
    if (!seconds_) return std::nullopt;
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return std::max(0.0, *seconds_ - gone.count());
  }
  [[nodiscard]] bool over() const { return seconds_ && *left() == 0; }

 private:
  std::optional<double> seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::bounds
