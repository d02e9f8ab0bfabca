#pragma once

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// The shortest makespan of any schedule without preemption, on actual durations with free transfers, found by trying
/// every order of the tasks and every class for each of them. For instances of up to about 7 tasks on 2 classes: the
/// time grows like tasks! x classes^tasks.
///
/// Why this meets an optimum: take an optimal schedule's tasks by start (equal starts: predecessors first) on their
/// classes, and put each in turn on the worker of its class that is free first, as early as its predecessors allow. No
/// task then starts later than it did.
[[nodiscard]] Time optimal_makespan(const Instance& instance);

}  // namespace heddle::test
