#include "heddle/analysis/ready_times.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

namespace heddle::analysis {
namespace {

Table<TaskId, Time> release_times(const Instance& instance, const Schedule& schedule, const Recording& recording) {
  Table<TaskId, Time> completed(instance.graph.task_count(), 0);
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome == Outcome::completed) completed[attempt.task] = attempt.end;
  }
  Table<TaskId, Time> released(instance.graph.task_count(), 0);
  if (!recording.submitted.empty()) released = recording.submitted;
  for (const TaskId task : instance.graph.tasks()) {
    for (const TaskId before : instance.graph.predecessors(task)) {
      released[task] = std::max(released[task], completed[before]);
    }
  }
  return released;
}

/// Tasks that commute on the same data: while one of these is held, none of them is ready. Those that commute on
/// nothing are group 0.
class CommutingGroups {
 public:
  explicit CommutingGroups(const TaskGraph& graph) : of_(graph.task_count(), 0), containing_(graph.data_count()) {
    std::map<std::vector<DataId>, std::uint32_t> known{{{}, 0}};
    for (const TaskId task : graph.tasks()) {
      std::vector<DataId> data;
      for (const Access access : graph.accesses(task)) {
        if (access.mode == AccessMode::commute) data.push_back(access.data);
      }
      if (data.empty()) continue;
      std::ranges::sort(data);
      const auto [place, is_new] = known.try_emplace(data, static_cast<std::uint32_t>(known.size()));
      of_[task] = place->second;
      if (!is_new) continue;
      for (const DataId datum : data) containing_[datum].push_back(place->second);
    }
    count_ = known.size();
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t of(TaskId task) const { return of_[task]; }
  [[nodiscard]] const std::vector<std::uint32_t>& containing(DataId datum) const { return containing_[datum]; }

 private:
  Table<TaskId, std::uint32_t> of_;
  Table<DataId, std::vector<std::uint32_t>> containing_;
  std::size_t count_ = 0;
};

enum class Change : std::uint8_t { waits, starts, ends };

/// A task begins to wait for a worker, or an attempt of it starts or ends.
struct Event {
  Time time;
  TaskId task;
  Change change;
  bool waited;  ///< of a start: the task waited until then
};

std::vector<Event> events_of(const Schedule& schedule, const std::vector<Time>& waits_since) {
  std::vector<Event> events;
  events.reserve(3 * schedule.attempts.size());
  for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
    const Attempt& attempt = schedule.attempts[i];
    const bool waited = waits_since[i] < attempt.start;
    if (waited) events.push_back({waits_since[i], attempt.task, Change::waits, false});
    events.push_back({attempt.start, attempt.task, Change::starts, waited});
    events.push_back({attempt.end, attempt.task, Change::ends, false});
  }
  std::ranges::sort(events, {}, &Event::time);
  return events;
}

/// Goes through the events. Within an instant their order is of no matter: counts may pass through values that they
/// never have for any time.
class Sweep {
 public:
  explicit Sweep(const Instance& instance)
      : instance_(instance),
        groups_(instance.graph),
        waiting_(groups_.count() * instance.platform.class_count(), 0),
        held_(groups_.count(), 0),
        ready_(instance.platform.class_count(), 0) {}

  void run(const std::vector<Event>& events, ReadyTimes& times) {
    times.ready.resize(ready_.size());
    if (!events.empty()) times.stalled.append({0, events.front().time});
    for (std::size_t i = 0; i < events.size();) {
      const Time now = events[i].time;
      for (; i < events.size() && events[i].time == now; ++i) apply(events[i]);
      // Nothing changes until the next event.
      if (i == events.size()) break;
      const Interval still{now, events[i].time};
      bool any = running_ > 0;
      for (const ClassId c : ready_.ids()) {
        if (ready_[c] > 0) times.ready[c].append(still), any = true;
      }
      if (!any) times.stalled.append(still);
    }
  }

 private:
  void apply(const Event& event) {
    if (event.change == Change::waits) return count_waiting(event.task, 1);
    if (event.waited) count_waiting(event.task, -1);
    const int change = event.change == Change::starts ? 1 : -1;
    running_ += change;
    if (groups_.of(event.task) == 0) return;
    for (const Access access : instance_.graph.accesses(event.task)) {
      if (access.mode == AccessMode::commute) hold(access.data, change);
    }
  }

  void count_waiting(TaskId task, int change) {
    const std::uint32_t group = groups_.of(task);
    for (const ClassId c : ready_.ids()) {
      if (!instance_.costs.can_run(task, c)) continue;
      waiting(group, c) += change;
      if (held_[group] == 0) ready_[c] += change;
    }
  }

  void hold(DataId datum, int change) {
    for (const std::uint32_t group : groups_.containing(datum)) {
      const bool was_free = held_[group] == 0;
      held_[group] += change;
      const bool is_free = held_[group] == 0;
      if (was_free == is_free) continue;
      for (const ClassId c : ready_.ids()) ready_[c] += is_free ? waiting(group, c) : -waiting(group, c);
    }
  }

  [[nodiscard]] std::int64_t& waiting(std::uint32_t group, ClassId c) {
    return waiting_[group * ready_.size() + index(c)];
  }

  const Instance& instance_;
  CommutingGroups groups_;
  std::vector<std::int64_t> waiting_;   ///< tasks that wait for a worker, by group and class
  std::vector<std::int64_t> held_;      ///< by group: how many of its data are held
  Table<ClassId, std::int64_t> ready_;  ///< tasks that wait, of groups that are free
  std::int64_t running_ = 0;
};

}  // namespace

std::vector<Time> waits_since(const Instance& instance, const Schedule& schedule, const Recording& recording) {
  std::vector<std::size_t> by_start(schedule.attempts.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::ranges::sort(by_start, {},
                    [&](std::size_t i) { return std::tuple(schedule.attempts[i].start, schedule.attempts[i].end, i); });
  Table<TaskId, Time> since = release_times(instance, schedule, recording);
  std::vector<Time> waits_since(schedule.attempts.size());
  for (const std::size_t i : by_start) {
    const Attempt& attempt = schedule.attempts[i];
    waits_since[i] = since[attempt.task];
    since[attempt.task] = std::max(since[attempt.task], attempt.end);
  }
  return waits_since;
}

ReadyTimes ready_times(const Instance& instance, const Schedule& schedule, const Recording& recording) {
  ReadyTimes times;
  Sweep(instance).run(events_of(schedule, waits_since(instance, schedule, recording)), times);
  return times;
}

}  // namespace heddle::analysis
