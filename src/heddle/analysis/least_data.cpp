#include "heddle/analysis/least_data.hpp"

#include <algorithm>
#include <utility>

#include "heddle/analysis/data_uses.hpp"
#include "heddle/model/quickest_ways.hpp"

namespace heddle::analysis {
namespace {

/// Those that some task reduces.
Table<DataId, bool> reduced_data(const TaskGraph& graph) {
  Table<DataId, bool> reduced(graph.data_count(), false);
  for (const TaskId task : graph.tasks()) {
    for (const Access access : graph.accesses(task)) {
      if (access.mode == AccessMode::reduce) reduced[access.data] = true;
    }
  }
  return reduced;
}

}  // namespace

std::vector<Time> soonest_data(const Instance& instance, const Schedule& schedule) {
  std::vector<Time> soonest(schedule.attempts.size(), 0);
  if (instance.platform.links().empty()) return soonest;
  const DataUses uses(instance, schedule);
  const Table<DataId, bool> reduced = reduced_data(instance.graph);
  const Table<DataId, MemoryId> homes = home_memories(instance);
  QuickestWays ways(instance.platform);
  for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
    const Attempt& attempt = schedule.attempts[i];
    const MemoryId memory = instance.platform.memory_of(attempt.worker);
    for (const Access access : instance.graph.accesses(attempt.task)) {
      if (!reads(access.mode) || reduced[access.data]) continue;
      const DataUse* writer = uses.last_writer(access.data, attempt.start);
      // Of tasks that take no time, at one instant, either may have been first.
      if (writer != nullptr && schedule.attempts[writer->attempt].start == attempt.start) continue;
      const Time written = writer == nullptr ? 0 : writer->time;
      const MemoryId source = writer == nullptr ? homes[access.data] : writer->memory;
      const DataUse* reader = uses.first_reader(access.data, memory, written);
      if (source == memory || (reader != nullptr && reader->time < attempt.start)) continue;
      const Time way = ways.from_to(source, memory, instance.graph.datum(access.data).bytes);
      soonest[i] = std::max(soonest[i], written + way);
    }
  }
  return soonest;
}

Table<ClassId, TimeSum> least_data_waits(const Instance& instance, const Schedule& schedule, const Losses& losses) {
  Table<ClassId, TimeSum> least(instance.platform.class_count(), 0);
  const std::vector<Time> soonest = soonest_data(instance, schedule);
  std::vector<const Attempt*> attempts;
  for (const Attempt& attempt : schedule.attempts) attempts.push_back(&attempt);
  std::ranges::stable_sort(attempts, {}, [](const Attempt* a) { return std::pair(a->worker, a->start); });
  auto next = attempts.cbegin();
  for (const WorkerId worker : instance.platform.workers()) {
    for (const Span& span : losses.held_up(worker)) {
      if (span.cause != Cause::data_or_overhead) continue;
      const auto before = [&](const Attempt* a) {
        return std::pair(a->worker, a->start) < std::pair(worker, span.time.end);
      };
      while (next != attempts.cend() && before(*next)) ++next;
      if (next == attempts.cend() || (*next)->worker != worker) break;
      const Time arrival = soonest[static_cast<std::size_t>(*next - schedule.attempts.data())];
      const Time waited = std::min(span.time.end, arrival) - span.time.start;
      least[instance.platform.class_of(worker)] += std::max<Time>(0, waited);
    }
  }
  return least;
}

}  // namespace heddle::analysis
