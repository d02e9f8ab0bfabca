#pragma once

#include <utility>
#include <vector>

#include "heddle/report/columns.hpp"

namespace heddle::report {

/// A schedule's transfers for drawing, link by link.
struct PackedTransfers {
  std::vector<std::pair<MemoryId, MemoryId>> links;  ///< (from, to) of those that carried anything, in order
  /// For each link: how many transfers, then for each, by start: difference to the previous datum, idle time since the
  /// previous end (both with a sign), duration, difference to the previous bytes (with a sign).
  ByteColumn column;
};

/// Times are counted in `unit` picoseconds and must be multiples of it (PackedSchedule::unit).
[[nodiscard]] PackedTransfers pack_transfers(const Schedule& schedule, Time unit);

}  // namespace heddle::report
