#pragma once

#include <bit>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"

namespace heddle::sim {

/// When each busy worker's attempt ends, as a tournament tree: the next end is read at once, a change costs one walk
/// from a leaf to the root. Equal ends are won by the smaller worker.
class EndTimes {
 public:
  explicit EndTimes(std::size_t workers)
      : leaves_(std::bit_ceil(workers)), end_(leaves_, kMaxTime), winner_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t node = leaves_; node-- > 1;) winner_[node] = winner_[2 * node];
  }

  /// kMaxTime when no worker is busy.
  [[nodiscard]] Time next() const { return end_[winner_[1]]; }
  /// The worker whose attempt ends next.
  [[nodiscard]] WorkerId worker() const { return make_id<WorkerId>(winner_[1]); }
  [[nodiscard]] Time end(WorkerId worker) const { return end_[index(worker)]; }

  void set(WorkerId worker, Time end) {
    end_[index(worker)] = end;
    for (std::size_t node = (leaves_ + index(worker)) / 2; node > 0; node /= 2) {
      const std::uint32_t left = winner_[2 * node];
      const std::uint32_t right = winner_[2 * node + 1];
      winner_[node] = end_[right] < end_[left] ? right : left;
    }
  }
  void clear(WorkerId worker) { set(worker, kMaxTime); }

 private:
  std::size_t leaves_;
  std::vector<Time> end_;
  std::vector<std::uint32_t> winner_;  ///< by node; the root is 1, leaves begin at leaves_
};

}  // namespace heddle::sim
