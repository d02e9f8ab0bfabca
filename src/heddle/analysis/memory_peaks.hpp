#pragma once

#include <cstdint>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// The most that a memory held at once, and since when.
struct MemoryPeak {
  std::int64_t bytes = 0;
  Time at = 0;
};

/// By memory, of a schedule with all its transfers. A copy takes room from the start of the transfer, or of the attempt
/// that writes it, until another value has been written; at the start, each datum is at home. Copies that are given up
/// earlier for want of room are not part of a schedule: where a memory's room is less than the peak, the room is the
/// peak. O((n + accesses) log n) for n attempts and transfers.
[[nodiscard]] Table<MemoryId, MemoryPeak> memory_peaks(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::analysis
