#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "heddle/model/time.hpp"

namespace heddle::analysis {

struct Interval {
  Time start;
  Time end;  ///< not included

  bool operator==(const Interval&) const = default;
};

/// Disjoint intervals in the order of time, and how long they are together up to any instant.
class Intervals {
 public:
  /// After all others; where it begins when the last one ends, it makes that one longer. Empty ones are left out.
  void append(Interval next);

  [[nodiscard]] bool empty() const { return intervals_.empty(); }
  [[nodiscard]] const std::vector<Interval>& all() const { return intervals_; }
  /// How much of the window they cover. O(log intervals).
  [[nodiscard]] Time covered(Interval window) const {
    return covered_before(window.end) - covered_before(window.start);
  }
  /// Calls visit(part, covers) for the parts of the window, one after the other, that an interval covers and that none
  /// does. O(log intervals + parts).
  template <class Visit>
  void split(Interval window, Visit&& visit) const {
    Time now = window.start;
    for (std::size_t i = first_after(now); now < window.end; ++i) {
      const bool beyond = i == intervals_.size() || intervals_[i].start >= window.end;
      const Time next = beyond ? window.end : std::max(now, intervals_[i].start);
      if (now < next) visit(Interval{now, next}, false);
      if (beyond) return;
      now = std::min(window.end, intervals_[i].end);
      visit(Interval{next, now}, true);
    }
  }

 private:
  /// The first that ends after the instant.
  [[nodiscard]] std::size_t first_after(Time instant) const;
  [[nodiscard]] Time covered_before(Time instant) const;

  std::vector<Interval> intervals_;
  std::vector<Time> before_;  ///< how long those before it are together, by interval
};

}  // namespace heddle::analysis
