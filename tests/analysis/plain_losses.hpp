#pragma once

#include <vector>

#include "heddle/analysis/losses.hpp"

namespace heddle::test {

/// What a worker's time from one picosecond to the next went to; of data, over which link.
struct PlainUse {
  analysis::Cause cause;
  MemoryId from = kNone<MemoryId>;
  MemoryId to = kNone<MemoryId>;

  bool operator==(const PlainUse&) const = default;
};

/// By worker and picosecond, as docs/analyze.md states the rules: looks at every instant by itself, and shares no code
/// with analysis::Losses.
[[nodiscard]] std::vector<std::vector<PlainUse>> plain_losses(const Instance& instance, const Schedule& schedule,
                                                              const analysis::Recording& recording);

}  // namespace heddle::test
