#pragma once

#include "heddle/model/instance.hpp"

namespace heddle::bounds {

/// The soonest that tasks can start, and the least time that goes by between their end and that of the schedule.
struct HeadsAndTails {
  Table<TaskId, Time> head;
  Table<TaskId, Time> tail;
};

/// The longest paths before and after each task, each task on its fastest class. For a task with more predecessors
/// than there are workers, also what the machine needs for the work that comes before it: for every instant h, h and
/// the area of its ancestors whose heads are at least h (for dual values of the classes that suit the whole instance;
/// exact, see certificate.hpp); tails likewise. Joins of many tasks are looked at until kLookedAt ancestors have been.
[[nodiscard]] HeadsAndTails heads_and_tails(const Instance& instance);
inline constexpr std::size_t kLookedAt = 2'000'000;

}  // namespace heddle::bounds
