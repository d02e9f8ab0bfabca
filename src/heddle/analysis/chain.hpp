#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// What one attempt waited for: the attempt that ended last among the predecessors of its task, the attempt before it
/// on its worker, and the attempts of tasks that commute with it on a datum (of several that ended at once, the
/// predecessor with the smallest number; then the one on the worker).
struct WaitedFor {
  std::optional<std::size_t> attempt{};  ///< position in Schedule::attempts; nothing where there is none
  Wait wait = Wait::nothing;             ///< data also where transfers were on their way after that attempt had ended
  Time for_data = 0;                     ///< so long for transfers (data_waits.hpp)
};

/// By attempt. Takes any schedule, valid or not. O(n log n + edges) for n attempts and transfers.
[[nodiscard]] std::vector<WaitedFor> waited_for(const Instance& instance, const Schedule& schedule);

struct ChainLink {
  std::size_t attempt;  ///< position in Schedule::attempts
  Wait wait;
  /// From the end of the attempt that it waited for, the next in the chain, to its start; from 0 where there is none.
  Time waited;
  Time for_data;  ///< so much of that for transfers (data_waits.hpp)
};

/// Why the makespan is what it is: attempts, the last first, that each waited for the next one in the list (WaitedFor).
/// Empty when nothing completed. Takes any schedule, valid or not.
[[nodiscard]] std::vector<ChainLink> deciding_chain(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::analysis
