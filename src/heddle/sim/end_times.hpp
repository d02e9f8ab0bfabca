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
    // The winner so far and its end are carried upwards, and the other side of each match is read on its own. Which
    // side wins is computed, not branched on: a processor would guess it wrong in every other match.
    std::uint32_t winner = static_cast<std::uint32_t>(worker);
    auto earliest = static_cast<std::uint64_t>(end);
    for (std::size_t node = leaves_ + winner; node > 1; node /= 2) {
      const std::uint32_t other = winner_[node ^ 1];
      const auto others_end = static_cast<std::uint64_t>(end_[other]);
      const bool wins_ties = (node & 1) != 0;  // the other side is the left one, of the smaller workers
      const std::uint64_t mask = others_end < earliest + (wins_ties ? 1 : 0) ? ~std::uint64_t{0} : 0;
      winner ^= (winner ^ other) & static_cast<std::uint32_t>(mask);
      earliest ^= (earliest ^ others_end) & mask;
      winner_[node / 2] = winner;
    }
  }
  void clear(WorkerId worker) { set(worker, kMaxTime); }

 private:
  std::size_t leaves_;
  std::vector<Time> end_;
  std::vector<std::uint32_t> winner_;  ///< by node; the root is 1, leaves begin at leaves_
};

}  // namespace heddle::sim
