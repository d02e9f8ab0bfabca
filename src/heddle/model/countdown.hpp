#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace heddle {

/// What is left of a budget of wall-clock seconds; without a budget, for ever.
class Countdown {
 public:
  /// It is also over as soon as `stop` says so, which is asked whenever over() is.
  explicit Countdown(std::optional<double> seconds = {}, std::function<bool()> stop = nullptr)
      : seconds_(seconds), stop_(std::move(stop)) {}

  /// At least 0; nothing without a budget.
  [[nodiscard]] std::optional<double> left() const {
    if (!seconds_) return std::nullopt;
    return std::max(0.0, *seconds_ - elapsed());
  }
  [[nodiscard]] bool over() const { return (stop_ && stop_()) || (seconds_ && *left() == 0); }
  /// The part that is used up, from 0 to 1; 0 without a budget.
  [[nodiscard]] double part() const {
    const double gone = elapsed();
    if (!seconds_) return 0;
    return gone < *seconds_ ? gone / *seconds_ : 1;
  }
  /// Seconds since it was made.
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::optional<double> seconds_;
  std::function<bool()> stop_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace heddle
