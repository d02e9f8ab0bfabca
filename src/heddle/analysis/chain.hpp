#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// What an attempt waited for last: nothing (it could start at once), a predecessor of its task, its worker, which ran
/// another attempt, or a datum: on its way, or held by a task that commutes on it.
enum class Wait : std::uint8_t { nothing, predecessor, worker, data };

/// "nothing", "predecessor", "worker", "data".
[[nodiscard]] std::string_view to_string(Wait wait);

struct ChainLink {
  std::size_t attempt;  ///< position in Schedule::attempts
  Wait wait;
  /// From the end of the attempt that it waited for, the next in the chain, to its start; from 0 where there is none.
  Time waited;
  Time for_data;  ///< so much of that for transfers (data_waits.hpp)
};

/// Why the makespan is what it is: attempts, the last first, that each had to wait for the next one in the list,
/// because it is a predecessor, held the worker, or held a datum on which both tasks commute. Each is the one that
/// ended last among those its follower waited for (the predecessor when several ended at once, the one with the
/// smallest number; then the one on the worker). Empty when nothing completed. Takes any schedule, valid or not.
[[nodiscard]] std::vector<ChainLink> deciding_chain(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::analysis
