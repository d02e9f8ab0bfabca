#pragma once

#include <cstdint>
#include <vector>

#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The two classes of a policy for two: "the GPU" is the class listed last, by position, never by name.
inline constexpr ClassId kCpu = make_id<ClassId>(0);
inline constexpr ClassId kGpu = make_id<ClassId>(1);

/// The acceleration factors of an instance with two classes, ranked: rank 0 is the highest factor, duration on the CPU
/// over duration on the GPU, compared exactly. Equal factors have equal ranks. A row of costs that cannot run on the
/// CPU has an infinite factor, one that cannot run on the GPU has factor zero. The CPU is the class listed first.
class AccelerationRanks {
 public:
  AccelerationRanks() = default;
  explicit AccelerationRanks(const Instance& instance);

  [[nodiscard]] std::uint32_t rank(std::uint32_t row) const { return rank_[row]; }
  /// One more than the largest rank.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Whether the factor is at least 1: the GPU is favourable.
  [[nodiscard]] bool accelerated(std::uint32_t row) const { return rank_[row] < first_slower_; }

 private:
  std::vector<std::uint32_t> rank_;
  std::uint32_t count_ = 0;
  std::uint32_t first_slower_ = 0;  ///< the first rank whose factor is below 1
};

}  // namespace heddle::policy
