#pragma once

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

/// p writes A, q reads it, s waits for q, r for nothing: two cpus and a gpu, which runs only q and has a memory of its
/// own; A takes a second to get there.
[[nodiscard]] Instance four_tasks();

/// Seconds are letters; s is aborted after half a second on cpu0:
///
///     cpu0         pp..s...
///     cpu1         .rrr.s        (the second s from 5 to 6)
///     gpu0         ...q..
///     ram > gpu0   ..A
[[nodiscard]] Schedule four_tasks_schedule(const Instance& instance);

}  // namespace heddle::test
