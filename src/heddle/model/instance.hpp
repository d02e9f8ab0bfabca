#pragma once

#include <string>

#include "heddle/model/costs.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/task_graph.hpp"

namespace heddle {

/// What has to be scheduled, and on what.
struct Instance {
  std::string name;
  TaskGraph graph;
  Platform platform;
  Costs costs;
};

/// The memory that holds each datum at the start, and in the end.
[[nodiscard]] Table<DataId, MemoryId> home_memories(const Instance& instance);

/// Makes an instance whose parts fit together. Classes without a worker run nothing: their durations become kCannotRun.
/// Throws InputError when some task can run on no worker, when a duration is negative, when data has its home in an
/// unknown memory, or when the tasks one after the other, each on its slowest class, would take more than 1/16 of what
/// Time can hold (6.7 days), or the data together have more than 1/16 of the bytes that 64 bits count (512 PiB).
[[nodiscard]] Instance make_instance(std::string name, TaskGraph graph, Platform platform, Costs costs);

}  // namespace heddle
