#pragma once

#include <utility>
#include <vector>

#include "heddle/report/columns.hpp"

namespace heddle::report {

/// A schedule's transfers for drawing, link by link.
struct PackedTransfers {
  std::vector<std::pair<MemoryId, MemoryId>> links;  ///< (from, to) of those that carried anything, in order
  /// For each link how many transfers; for each of these, link by link and by start, the difference to the link's
  /// previous datum; their times (add_times); the differences to the previous bytes (differences with a sign).
  ByteColumn column;
};

[[nodiscard]] PackedTransfers pack_transfers(const Schedule& schedule, Grid grid);

}  // namespace heddle::report
