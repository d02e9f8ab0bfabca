#pragma once

#include <span>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/model/task_graph.hpp"

namespace heddle::starpu {

/// A copy of a datum that the engine made in another memory.
struct Copied {
  DataId data;
  MemoryId from;
  MemoryId to;
  Time start;
  Time seen;  ///< by then it had ended
};

/// The copies as transfers, by their starts. Each ends when it was seen to have ended, at the latest, and before the
/// next task that writes the datum starts. A link carries one after the other: those that were under way together share
/// the time by their bytes, as far as when they were seen allows. A copy shows that the last task that wrote the datum
/// had ended, so that the attempts of such tasks end no later; `attempts` are by task, in the order of their starts.
[[nodiscard]] std::vector<Transfer> transfers_of(std::vector<Copied> copies, const TaskGraph& graph,
                                                 std::vector<Attempt>& attempts);

}  // namespace heddle::starpu
