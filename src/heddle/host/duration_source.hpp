#pragma once

#include <functional>

#include "heddle/model/instance.hpp"

namespace heddle::host {

/// How long tasks of a type are believed to take on a class, in picoseconds; kCannotRun where they cannot run. An engine
/// asks when it makes the instance that a policy decides on. What can be called so is one: a table of costs, durations
/// that an engine has learned, the performance models of another runtime.
using DurationSource = std::function<Time(TypeId, ClassId)>;

/// What the source says of the types of the graph.
[[nodiscard]] Costs costs_of(const TaskGraph& graph, const Platform& platform, const DurationSource& durations);

}  // namespace heddle::host
