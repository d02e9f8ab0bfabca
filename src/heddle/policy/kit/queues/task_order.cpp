#include "heddle/policy/kit/queues/task_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace heddle::policy {
namespace {

/// Byte by byte, the least significant first, each time keeping the order of what is equal (radix sort). What stands
/// below the first byte is sorted already.
void sort_from(std::size_t first_byte, std::vector<QueueKey>& keys) {
  QueueKey differing = 0;
  for (const QueueKey key : keys) differing |= key ^ keys.front();
  std::vector<QueueKey> sorted(keys.size());
  for (std::size_t byte = first_byte; byte < sizeof(QueueKey); ++byte) {
    const auto digit = [byte](QueueKey key) { return static_cast<std::uint8_t>(key >> 8 * byte); };
    if (digit(differing) == 0) continue;
    std::array<std::uint32_t, 256> place{};
    for (const QueueKey key : keys) ++place[digit(key)];
    std::uint32_t before = 0;
    for (std::uint32_t& count : place) before += std::exchange(count, before);
    for (const QueueKey key : keys) sorted[place[digit(key)]++] = key;
    keys.swap(sorted);
  }
}

}  // namespace

void TaskOrder::number(std::size_t tasks, bool forward) {
  tasks_.resize(tasks);
  places_.resize(tasks);
  for (std::size_t place = 0; place < tasks; ++place) {
    const TaskId task = make_id<TaskId>(forward ? place : tasks - 1 - place);
    tasks_[place] = task;
    places_[task] = static_cast<std::uint32_t>(place);
  }
}

void TaskOrder::sort(std::vector<QueueKey>& keys) {
  constexpr std::size_t kFew = 128;
  if (keys.size() < kFew) {
    std::ranges::sort(keys);
  } else {
    sort_from(sizeof(TaskId), keys);
  }
  tasks_.reserve(keys.size());
  places_.resize(keys.size());
  for (const QueueKey key : keys) {
    places_[task_of(key)] = static_cast<std::uint32_t>(tasks_.size());
    tasks_.push_back(task_of(key));
  }
}

}  // namespace heddle::policy
