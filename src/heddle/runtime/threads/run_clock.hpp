#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "heddle/model/time.hpp"

namespace heddle::runtime {

/// The time of a runtime: since it was made. Where the system keeps its own time by the processor's counter of ticks,
/// so does this, as reading that takes less than half the time; it may be off by some ten nanoseconds, as processors
/// reorder what they do.
class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  RunClock();
  /// One that tells the time that is in `set`, which must outlive it: tests let it pass as they like.
  explicit RunClock(const Time* set) : set_(set) {}
  [[nodiscard]] Time now() const {
    if (tick_ != 0) return static_cast<Time>((Wide{ticks() - first_} * tick_) >> kFraction);
    if (set_ != nullptr) return *set_;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count() * kNanosecond;
  }
  /// Counted from now on: over hours the two clocks move apart.
  [[nodiscard]] Clock::time_point instant(Time time) const {
    return Clock::now() + std::chrono::nanoseconds((time - now()) / kNanosecond);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Time kNanosecond = kMicrosecond / 1000;
  static constexpr int kFraction = 32;

  [[nodiscard]] static std::uint64_t ticks() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return 0;
#endif
  }
  [[nodiscard]] static std::uint64_t measure_tick();

  std::uint64_t tick_ = 0;  ///< how long one takes, in 2^-kFraction picoseconds; 0: they are not used
  const Time* set_ = nullptr;
  std::uint64_t first_ = ticks();
  Clock::time_point start_ = Clock::now();
};

}  // namespace heddle::runtime
