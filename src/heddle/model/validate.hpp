#pragma once

#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle {

/// What a schedule's attempts must last.
enum class Durations {
  exact,  ///< as long as the instance says: a simulation without noise
  free,   ///< anything: a real run, or a simulation under noise
};

/// Every way in which `schedule` breaks the rules, a sentence each; empty when it is valid. It is when every task has
/// exactly one completed attempt and no attempt of it starts before all its predecessors completed or after it
/// completed itself, and none overlaps another of the same task; a worker runs one attempt at a time; attempts run on
/// classes that can run the task; completed attempts last what the task takes there and aborted ones less; and
/// completed attempts that commute on a datum never overlap. Where the schedule has contexts, attempts run on workers
/// that their task's context has at that time. On a platform with links, what a task reads is in its worker's memory
/// when it starts, brought there by transfers that each take one link, one at a time, and no less than the link's time
/// (validate_data.hpp), and in no window do a bus's transfers carry more than it can. That memories are large enough is
/// not checked.
[[nodiscard]] std::vector<std::string> validate(const Instance& instance, const Schedule& schedule,
                                                Durations durations = Durations::exact);

/// The same of the attempts alone: whether the data that a task reads is there is not checked.
[[nodiscard]] std::vector<std::string> validate_attempts(const Instance& instance, const Schedule& schedule,
                                                         Durations durations = Durations::exact);

}  // namespace heddle
