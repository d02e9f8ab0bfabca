#pragma once

#include "heddle/model/time.hpp"

namespace heddle::policy {

/// How much work so many workers can do in a time; kMaxTime when that is more than Time holds.
[[nodiscard]] constexpr Time capacity(Time workers, Time time) {
  Time total = 0;
  return __builtin_mul_overflow(workers, time, &total) ? kMaxTime : total;
}

}  // namespace heddle::policy
