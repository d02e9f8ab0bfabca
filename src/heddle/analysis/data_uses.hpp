#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// An attempt that left a value of a datum, or read one.
struct DataUse {
  DataId data;
  MemoryId memory;      ///< of the attempt's worker
  Time time;            ///< of the writer's end or the reader's start
  std::size_t attempt;  ///< position in Schedule::attempts

  auto operator<=>(const DataUse&) const = default;
};

/// Which attempts of a schedule used a datum, and when. Takes any schedule, valid or not.
class DataUses {
 public:
  /// O((n + accesses) log n) for n attempts.
  DataUses(const Instance& instance, const Schedule& schedule);

  /// The completed attempt that wrote the datum last and ended no later than then; null where none had.
  [[nodiscard]] const DataUse* last_writer(DataId data, Time until) const;
  /// The first attempt from that instant on that reads the datum in the memory; null where none does.
  [[nodiscard]] const DataUse* first_reader(DataId data, MemoryId memory, Time from) const;

 private:
  std::vector<DataUse> readers_;  ///< in their order
  std::vector<DataUse> writers_;  ///< by datum and time
};

}  // namespace heddle::analysis
