#pragma once

#include <starpu.h>

#include <cmath>

#include "heddle/model/time.hpp"

namespace heddle::starpu {

inline Time from_microseconds(double microseconds) {
  return static_cast<Time>(std::llround(microseconds * static_cast<double>(kMicrosecond)));
}

/// Time by StarPU's clock, which is a simulated one under SimGrid, since this one was made.
class Clock {
 public:
  [[nodiscard]] Time now() const { return at(starpu_timing_now()); }
  /// When StarPU's clock shows so many microseconds.
  [[nodiscard]] Time at(double microseconds) const { return from_microseconds(microseconds - origin_); }

 private:
  double origin_ = starpu_timing_now();
};

}  // namespace heddle::starpu
