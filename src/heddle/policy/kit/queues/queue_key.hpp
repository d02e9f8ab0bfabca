#pragma once

#include <cstdint>

#include "heddle/model/ids.hpp"

namespace heddle::policy {

/// What ready tasks are ordered by, smallest first: a rank, then a number, then the task. One integer, because queues
/// compare millions of them.
__extension__ using QueueKey = unsigned __int128;

[[nodiscard]] inline QueueKey queue_key(std::uint32_t rank, std::int64_t ascending, TaskId task) {
  // With the sign bit flipped, unsigned numbers compare like the signed ones.
  const std::uint64_t number = static_cast<std::uint64_t>(ascending) ^ std::uint64_t{1} << 63;
  return QueueKey{rank} << 96 | QueueKey{number} << 32 | static_cast<std::uint32_t>(task);
}

[[nodiscard]] inline TaskId task_of(QueueKey key) {
  return static_cast<TaskId>(static_cast<std::uint32_t>(key));
}

}  // namespace heddle::policy
