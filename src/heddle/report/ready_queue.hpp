#pragma once

#include <cstdint>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::report {

/// From `time` on, until the next step, `depth` tasks are ready.
struct QueueStep {
  Time time;
  std::int64_t depth;

  bool operator==(const QueueStep&) const = default;
};

/// How many tasks were ready but not running, over time. A task is ready from the moment its last predecessor completed
/// (from 0 when it has none) while no attempt of it runs, up to the start of its last attempt; one that is never
/// attempted stays ready. Steps have strictly increasing times and differ from their neighbours; the first is at 0.
/// Takes any schedule of the instance, valid or not. O((attempts + tasks) log + edges).
[[nodiscard]] std::vector<QueueStep> ready_queue(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::report
