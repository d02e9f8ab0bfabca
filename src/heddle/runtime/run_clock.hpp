#pragma once

#include <chrono>

#include "heddle/model/time.hpp"

namespace heddle::runtime {

/// The time of a runtime: since it was made.
class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Time now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count() * kNanosecond;
  }
  [[nodiscard]] Clock::time_point instant(Time time) const {
    return start_ + std::chrono::nanoseconds(time / kNanosecond);
  }

 private:
  static constexpr Time kNanosecond = kMicrosecond / 1000;

  Clock::time_point start_ = Clock::now();
};

}  // namespace heddle::runtime
