#include "heddle/model/metrics.hpp"

#include <algorithm>
#include <limits>

namespace heddle {
namespace {

/// Sums of durations of the tasks completed on a class, whose quotient is its acceleration.
struct Fraction {
  double numerator = 0;
  double denominator = 0;
};

void add_acceleration(const Instance& instance, TaskId task, Fraction& sums) {
  const Time cpu = instance.costs.actual(task, make_id<ClassId>(0));
  const Time gpu = instance.costs.actual(task, make_id<ClassId>(1));
  if (cpu == kCannotRun || gpu == kCannotRun) return;
  sums.numerator += to_seconds(cpu);
  sums.denominator += to_seconds(gpu);
}

void add_slowdown(const Instance& instance, const Attempt& attempt, Fraction& sums) {
  sums.numerator += to_seconds(attempt.end - attempt.start);
  sums.denominator += to_seconds(std::ranges::min(instance.costs.actual_row(attempt.task)));
}

}  // namespace

Table<ClassId, ClassUse> class_use(const Instance& instance, const Schedule& schedule) {
  const Platform& platform = instance.platform;
  Table<ClassId, ClassUse> use(platform.class_count());
  Table<ClassId, Fraction> sums(platform.class_count());
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome != Outcome::completed) continue;
    const ClassId c = platform.class_of(attempt.worker);
    use[c].busy += attempt.end - attempt.start;
    ++use[c].tasks;
    if (platform.class_count() == 2) {
      add_acceleration(instance, attempt.task, sums[c]);
    } else {
      add_slowdown(instance, attempt, sums[c]);
    }
  }
  const Time makespan = schedule.makespan();
  for (const ClassId c : platform.classes()) {
    use[c].idle = TimeSum{platform.worker_count(c)} * makespan - use[c].busy;
    if (sums[c].denominator > 0) use[c].acceleration = sums[c].numerator / sums[c].denominator;
  }
  return use;
}

Table<ContextId, ContextUse> context_use(const Schedule& schedule) {
  const Contexts& contexts = schedule.contexts;
  Table<ContextId, ContextUse> use(contexts.all.size());
  for (const Attempt& attempt : schedule.attempts) {
    if (contexts.empty()) break;
    ContextUse& own = use[contexts.of[attempt.task]];
    if (attempt.outcome != Outcome::completed) {
      ++own.aborted;
      continue;
    }
    own.first_start = own.tasks == 0 ? attempt.start : std::min(own.first_start, attempt.start);
    own.end = std::max(own.end, attempt.end);
    own.busy += attempt.end - attempt.start;
    ++own.tasks;
  }
  const Time makespan = schedule.makespan();
  for (const Stay& stay : stays(contexts.all, schedule.moves)) {
    use[stay.context].idle += std::min(stay.end, makespan) - std::min(stay.begin, makespan);
  }
  for (ContextUse& own : use) own.idle -= own.busy;
  return use;
}

Table<ClassId, std::optional<double>> class_joules(const Instance& instance, const Schedule& schedule) {
  const Platform& platform = instance.platform;
  Table<ClassId, TimeSum> busy(platform.class_count(), 0);
  for (const Attempt& attempt : schedule.attempts) {
    busy[platform.class_of(attempt.worker)] += attempt.end - attempt.start;
  }
  const Time makespan = schedule.makespan();
  Table<ClassId, std::optional<double>> joules(platform.class_count());
  for (const ClassId c : platform.classes()) {
    const std::optional<Watts>& watts = platform.resource_class(c).watts;
    if (!watts) continue;
    const TimeSum idle = TimeSum{platform.worker_count(c)} * makespan - busy[c];
    joules[c] = watts->busy * to_seconds(busy[c]) + watts->idle * to_seconds(idle);
  }
  return joules;
}

std::optional<double> joules(const Platform& platform, const Table<ClassId, std::optional<double>>& by_class) {
  double sum = 0;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) == 0) continue;
    if (!by_class[c]) return std::nullopt;
    sum += *by_class[c];
  }
  return sum;
}

Table<ClassId, std::optional<double>> normalized_idle(const Table<ClassId, ClassUse>& use,
                                                      const Table<ClassId, double>& bound_use) {
  Table<ClassId, std::optional<double>> idle(use.size());
  for (const ClassId c : use.ids()) {
    if (bound_use[c] > 0) idle[c] = static_cast<double>(use[c].idle) / bound_use[c];
  }
  return idle;
}

std::int64_t transferred_bytes(const Schedule& schedule) {
  std::int64_t bytes = 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const Transfer& transfer : schedule.transfers) bytes += std::min(transfer.bytes, kMost - bytes);
  return bytes;
}

std::int64_t write_home_bytes(const Instance& instance, const Schedule& schedule) {
  if (instance.platform.links().empty()) return 0;
  constexpr Time kNever = -1;
  // When the home last got out of date, and when it last got a copy.
  Table<DataId, Time> outdated(instance.graph.data_count(), kNever);
  Table<DataId, Time> copied(instance.graph.data_count(), kNever);
  const Table<DataId, MemoryId> home = home_memories(instance);
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome != Outcome::completed) continue;
    for (const Access access : instance.graph.accesses(attempt.task)) {
      if (access.mode == AccessMode::read) continue;
      const bool at_home = instance.platform.memory_of(attempt.worker) == home[access.data];
      Time& last = at_home ? copied[access.data] : outdated[access.data];
      last = std::max(last, attempt.end);
    }
  }
  for (const Transfer& transfer : schedule.transfers) {
    if (transfer.to == home[transfer.data]) copied[transfer.data] = std::max(copied[transfer.data], transfer.start);
  }
  std::int64_t bytes = 0;
  for (const DataId data : outdated.ids()) {
    if (outdated[data] > copied[data]) bytes += instance.graph.datum(data).bytes;
  }
  return bytes;
}

}  // namespace heddle
