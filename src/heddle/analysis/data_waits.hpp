#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/analysis/intervals.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// A part of the time for which a task waited for data, and the link that the data came over.
struct DataWait {
  Interval time;
  MemoryId from;
  MemoryId to;
};

/// When tasks waited for data that they read, by the transfers of a schedule.
///
/// A datum that arrives in the task's memory before its start, and after it began to wait for a worker (waits_since),
/// comes on a trip: over one link, or over two where it reached the first link's end after that, too. A trip begins
/// when its first transfer starts; where that one's link was busy before without a break, as soon as it was: so long
/// the transfer may have queued. The task waits while such a trip is under way. Of several, the one that arrives last
/// counts, with the link that it takes or waits for at that moment.
class DataWaits {
 public:
  DataWaits(const Instance& instance, const Schedule& schedule);

  /// Appends the parts of `window` for which the attempt's task, which waits `since` then, waited so, the last first.
  /// The window is after that and ends when the attempt starts, or before.
  void find(const Attempt& attempt, Time since, Interval window, std::vector<DataWait>& waits) const;

 private:
  struct Trip {
    Time begin;
    Time change;          ///< from the first link to the second; `begin` where there is only one
    std::uint32_t first;  ///< transfers, as positions in transfers_
    std::uint32_t last;
  };

  [[nodiscard]] std::span<const std::uint32_t> arrivals(DataId data, MemoryId memory, Time after, Time until) const;
  /// That ends with a transfer.
  [[nodiscard]] Trip trip(std::uint32_t last, Time since) const;

  const Instance& instance_;
  const std::vector<Transfer>& transfers_;
  std::vector<std::uint32_t> arrivals_;  ///< positions in transfers_, by datum, memory and end
  std::vector<Time> queues_since_;       ///< by transfer: since when its link has been busy without a break
};

}  // namespace heddle::analysis
