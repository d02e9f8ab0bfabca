#pragma once

#include <algorithm>
#include <cstdint>

#include "heddle/model/time.hpp"

namespace heddle::runtime {

/// When a worker backs off, and for how long: it waits longer for the lock than it works, so there are more workers
/// than there is to do. Longer each time, until others need it before its back-off is over.
class BackOff {
 public:
  static constexpr Time kFirst = 100 * kMicrosecond;
  static constexpr Time kLongest = 16 * kFirst;
  static constexpr std::uint32_t kPatience = 2;
  static constexpr std::uint32_t kMostPatience = 1024;

  /// The worker has worked for so long, and then waited for the lock. Whether it has waited longer than it worked so
  /// often in a row that it should back off.
  [[nodiscard]] bool is_due(Time worked, Time waited) {
    if (waited <= worked) [[likely]] {
      crowded_ = 0;
      return false;
    }
    return ++crowded_ >= patience_;
  }
  /// `grows`: longer than the last time.
  void begin(bool grows) {
    duration_ = grows ? next_ : kFirst;
    next_ = std::min(2 * duration_, kLongest);
  }
  /// `missed`: it is not to begin so soon again.
  void end(bool missed) {
    patience_ = missed ? std::min(2 * patience_, kMostPatience) : std::max(patience_ - 1, kPatience);
    duration_ = 0;
  }
  /// The next one is as short as the first.
  void start_over() { next_ = kFirst; }
  /// So long the worker is given no task, unless others need it; 0: it does not back off.
  [[nodiscard]] Time duration() const { return duration_; }

 private:
  Time duration_ = 0;
  Time next_ = kFirst;
  std::uint32_t crowded_ = 0;  ///< so often in a row the worker waited longer for the lock than it worked
  std::uint32_t patience_ = kPatience;
};

}  // namespace heddle::runtime
