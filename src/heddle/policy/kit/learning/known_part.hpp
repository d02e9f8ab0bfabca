#pragma once

#include <span>

#include "heddle/model/instance.hpp"

namespace heddle::policy {

/// The part of an instance that consists of some tasks, given by ascending number, and the dependencies among them, on
/// the estimates. With a task, all its predecessors have to be there.
[[nodiscard]] Instance known_part(const Instance& instance, std::span<const TaskId> tasks);

}  // namespace heddle::policy
