#pragma once

// How long the lock of the scheduler is held. Only builds with HEDDLE_MEASURE_LOCKS look, for benchmarks.
#ifdef HEDDLE_MEASURE_LOCKS

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

/// A histogram of times, each up to an eighth too long. Guarded by the lock that it looks at.
class LockTimes {
 public:
  /// The lock was taken.
  void begin() { began_ = Clock::now(); }
  /// It is about to be free.
  void end() {
    const auto held = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began_);
    const auto nanoseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(held.count(), 0));
    ++buckets_[bucket_of(nanoseconds)];
    ++count_;
    longest_ = std::max(longest_, nanoseconds);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// In seconds.
  [[nodiscard]] double longest() const { return 1e-9 * static_cast<double>(longest_); }
  /// The time, in seconds, that this part of all is below.
  [[nodiscard]] double quantile(double part) const {
    std::uint64_t below = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      below += buckets_[bucket];
      if (static_cast<double>(below) >= part * static_cast<double>(count_)) return 1e-9 * end_of(bucket);
    }
    return longest();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kBits = 3;  ///< after the first one that is set

  [[nodiscard]] static std::size_t bucket_of(std::uint64_t nanoseconds) {
    const int shift = std::max(static_cast<int>(std::bit_width(nanoseconds)) - kBits - 1, 0);
    return (static_cast<std::size_t>(shift) << kBits) + (nanoseconds >> shift);
  }
  [[nodiscard]] static double end_of(std::size_t bucket) {
    constexpr std::size_t kParts = std::size_t{1} << kBits;
    const std::size_t shift = bucket < 2 * kParts ? 0 : bucket / kParts - 1;
    return static_cast<double>(((bucket - (shift << kBits)) + 1) << shift);
  }

  std::array<std::uint64_t, 512> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t longest_ = 0;
  Clock::time_point began_{};
};

/// Of all runtimes of the process: for programs with one at a time.
inline LockTimes scheduling_lock_times;

}  // namespace heddle::runtime

#endif
