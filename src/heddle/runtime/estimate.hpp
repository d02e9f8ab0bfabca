#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "heddle/model/time.hpp"

namespace heddle::runtime {

/// What is believed of a duration that was measured several times: the mean of the middle half of the last
/// measurements; of two or three, of all but the longest. A few that are far off, however far, do not move it; a
/// lasting change does soon.
class Estimate {
 public:
  static constexpr std::size_t kRecent = 16;  ///< so many of the last measurements count

  Estimate() = default;
  /// Measured `count` times, the last of them `recent`: all, or kRecent of them.
  Estimate(std::uint64_t count, std::span<const Time> recent) : count_(count - recent.size()) {
    for (const Time duration : recent) add(duration);
  }

  void add(Time duration) {
    recent_[count_ % kRecent] = duration;
    ++count_;
  }
  /// Adds what was measured after this.
  void add(const Estimate& later) {
    count_ += later.count_ - later.known();
    for (const Time duration : later.recent()) add(duration);
  }
  /// How often it was measured.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Must have been measured.
  [[nodiscard]] Time mean() const {
    const auto sorted = ordered();
    const auto [first, end] = middle();
    const Time sum = std::accumulate(sorted.begin() + first, sorted.begin() + end, Time{0});
    return sum / static_cast<Time>(end - first);
  }
  /// Half the width of the middle half: how far measurements usually are from the mean.
  [[nodiscard]] Time spread() const {
    const auto sorted = ordered();
    const auto [first, end] = middle();
    return (sorted[end - 1] - sorted[first]) / 2;
  }
  /// The measurements that count, the oldest first.
  [[nodiscard]] std::vector<Time> recent() const {
    std::vector<Time> durations;
    for (std::uint64_t i = count_ - known(); i < count_; ++i) durations.push_back(recent_[i % kRecent]);
    return durations;
  }
  /// What was measured after the first `count` times.
  [[nodiscard]] Estimate since(std::uint64_t count) const {
    const std::uint64_t more = count_ - count;
    const std::vector<Time> durations = recent();
    return {more, std::span(durations).last(static_cast<std::size_t>(std::min<std::uint64_t>(more, known())))};
  }

 private:
  [[nodiscard]] std::size_t known() const { return static_cast<std::size_t>(std::min<std::uint64_t>(count_, kRecent)); }
  /// Which of them count, ordered.
  [[nodiscard]] std::pair<std::size_t, std::size_t> middle() const {
    const std::size_t cut = known() / 4;
    return {cut, known() - (known() == 1 ? 0 : std::max<std::size_t>(cut, 1))};
  }
  [[nodiscard]] std::array<Time, kRecent> ordered() const {
    std::array<Time, kRecent> sorted = recent_;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known()));
    return sorted;
  }

  std::array<Time, kRecent> recent_{};
  std::uint64_t count_ = 0;
};

}  // namespace heddle::runtime
