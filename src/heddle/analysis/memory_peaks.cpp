#include "heddle/analysis/memory_peaks.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

namespace heddle::analysis {
namespace {

/// What happens to the copies of a datum.
struct CopyEvent {
  DataId data;
  Time time;
  bool arrives;  ///< or a new value is written in the memory, and all other copies are old
  MemoryId memory;
};

/// Room that is taken, or given back.
struct Room {
  Time time;
  std::int64_t bytes;
};

std::vector<CopyEvent> events_of(const Instance& instance, const Schedule& schedule) {
  std::vector<CopyEvent> events;
  const Table<DataId, MemoryId> homes = home_memories(instance);
  for (const DataId data : homes.ids()) events.push_back({data, 0, true, homes[data]});
  for (const Transfer& transfer : schedule.transfers)
    events.push_back({transfer.data, transfer.start, true, transfer.to});
  for (const Attempt& attempt : schedule.attempts) {
    const MemoryId memory = instance.platform.memory_of(attempt.worker);
    for (const Access access : instance.graph.accesses(attempt.task)) {
      if (access.mode == AccessMode::read) continue;
      events.push_back({access.data, attempt.start, true, memory});
      if (attempt.outcome == Outcome::completed) events.push_back({access.data, attempt.end, false, memory});
    }
  }
  std::ranges::stable_sort(events, {}, [](const CopyEvent& e) { return std::tuple(e.data, e.time, e.arrives); });
  return events;
}

}  // namespace

Table<MemoryId, MemoryPeak> memory_peaks(const Instance& instance, const Schedule& schedule) {
  const Table<MemoryId, Memory>& memories = instance.platform.memories();
  Table<MemoryId, std::vector<Room>> rooms(memories.size());
  std::optional<DataId> present;
  Table<MemoryId, bool> holds;
  for (const auto& [data, time, arrives, memory] : events_of(instance, schedule)) {
    if (present != data) holds.assign(memories.size(), false);
    present = data;
    const std::int64_t bytes = instance.graph.datum(data).bytes;
    if (!holds[memory]) rooms[memory].push_back({time, bytes});
    holds[memory] = true;
    if (arrives) continue;
    for (const MemoryId other : memories.ids()) {
      if (other == memory || !holds[other]) continue;
      rooms[other].push_back({time, -bytes});
      holds[other] = false;
    }
  }
  Table<MemoryId, MemoryPeak> peaks(memories.size());
  for (const MemoryId memory : memories.ids()) {
    // What is given back makes room for what comes at the same time.
    std::ranges::stable_sort(rooms[memory], {}, [](const Room& room) { return std::tuple(room.time, room.bytes); });
    std::int64_t held = 0;
    for (const auto& [time, bytes] : rooms[memory]) {
      held += bytes;
      if (held > peaks[memory].bytes) peaks[memory] = {held, time};
    }
    if (const auto room = memories[memory].bytes) peaks[memory].bytes = std::min(peaks[memory].bytes, *room);
  }
  return peaks;
}

}  // namespace heddle::analysis
