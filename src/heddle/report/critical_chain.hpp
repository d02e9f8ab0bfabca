#pragma once

#include <cstddef>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::report {

/// Why the makespan is what it is: attempts, the last first, that each had to wait for the next one in the list,
/// because it is a predecessor or because it held the worker. Each is the one that ended last among those its follower
/// waited for (the predecessor when both ended at once; then the smallest task number). As positions in
/// `schedule.attempts`; empty when nothing completed.
[[nodiscard]] std::vector<std::size_t> critical_chain(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::report
