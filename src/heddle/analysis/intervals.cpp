#include "heddle/analysis/intervals.hpp"

namespace heddle::analysis {

void Intervals::append(Interval next) {
  if (next.start >= next.end) return;
  if (!intervals_.empty() && intervals_.back().end >= next.start) {
    intervals_.back().end = std::max(intervals_.back().end, next.end);
    return;
  }
  before_.push_back(intervals_.empty() ? 0 : before_.back() + intervals_.back().end - intervals_.back().start);
  intervals_.push_back(next);
}

std::size_t Intervals::first_after(Time instant) const {
  const auto found = std::ranges::upper_bound(intervals_, instant, {}, &Interval::end);
  return static_cast<std::size_t>(found - intervals_.begin());
}

Time Intervals::covered_before(Time instant) const {
  const std::size_t i = first_after(instant);
  if (i == intervals_.size()) return empty() ? 0 : before_.back() + intervals_.back().end - intervals_.back().start;
  return before_[i] + std::max<Time>(0, instant - intervals_[i].start);
}

}  // namespace heddle::analysis
