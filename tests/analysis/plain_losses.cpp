#include "tests/analysis/plain_losses.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace heddle::test {
namespace {

using analysis::Cause;

class PlainClassifier {
 public:
  PlainClassifier(const Instance& instance, const Schedule& schedule, const analysis::Recording& recording)
      : instance_(instance), schedule_(schedule), recording_(recording) {}

  void look_at(Time now) {
    now_ = now;
    ready_.clear();
    for (const TaskId task : instance_.graph.tasks()) {
      if (is_ready(task)) ready_.push_back(task);
    }
  }

  [[nodiscard]] PlainUse use(WorkerId worker) const {
    if (const Attempt* running = running_on(worker)) {
      return {running->outcome == Outcome::completed ? Cause::kernel : Cause::aborted};
    }
    const Attempt* next = next_on(worker);
    if (next != nullptr && waits_since(*next) <= now_) {
      if (const Trip trip = last_trip(*next); trip.arrival != nullptr) {
        return {Cause::data, trip.hop->from, trip.hop->to};
      }
      if (!recording_.has_transfers && !is_locked(next->task)) return {Cause::data_or_overhead};
    }
    const ClassId c = instance_.platform.class_of(worker);
    const auto runs_here = [&](TaskId task) { return instance_.costs.can_run(task, c); };
    if (std::ranges::any_of(ready_, runs_here)) return {Cause::ready_not_run};
    if (has_begun(worker) && next == nullptr) return {Cause::end};
    if (!has_begun(worker) && next != nullptr) return {Cause::begin};
    return {ready_.empty() && !runs_anything() ? Cause::unexplained : Cause::no_ready_task};
  }

 private:
  /// A datum on its way now: the transfer that arrives, and the one that is under way or waits for its link.
  struct Trip {
    const Transfer* arrival = nullptr;
    const Transfer* hop = nullptr;
  };

  [[nodiscard]] bool runs(const Attempt& attempt) const { return attempt.start <= now_ && now_ < attempt.end; }
  [[nodiscard]] bool runs_anything() const {
    return std::ranges::any_of(schedule_.attempts, [&](const Attempt& a) { return runs(a); });
  }
  [[nodiscard]] const Attempt* running_on(WorkerId worker) const {
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.worker == worker && runs(attempt)) return &attempt;
    }
    return nullptr;
  }
  [[nodiscard]] bool has_begun(WorkerId worker) const {
    return std::ranges::any_of(schedule_.attempts,
                               [&](const Attempt& a) { return a.worker == worker && a.start <= now_; });
  }
  [[nodiscard]] const Attempt* next_on(WorkerId worker) const {
    const Attempt* next = nullptr;
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.worker != worker || attempt.start <= now_) continue;
      const bool sooner =
          next == nullptr || attempt.start < next->start || (attempt.start == next->start && attempt.end < next->end);
      if (sooner) next = &attempt;
    }
    return next;
  }

  [[nodiscard]] Time completion(TaskId task) const {
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.task == task && attempt.outcome == Outcome::completed) return attempt.end;
    }
    return std::numeric_limits<Time>::max();
  }
  [[nodiscard]] Time release(TaskId task) const {
    Time release = recording_.submitted.empty() ? 0 : recording_.submitted[task];
    for (const TaskId before : instance_.graph.predecessors(task)) release = std::max(release, completion(before));
    return release;
  }
  /// Of a task that is aborted, its next attempt waits for the end of this one.
  [[nodiscard]] Time waits_since(const Attempt& next) const {
    Time since = release(next.task);
    for (const Attempt& attempt : schedule_.attempts) {
      const auto order = [](const Attempt& a) { return std::tuple(a.start, a.end, &a); };
      if (attempt.task == next.task && order(attempt) < order(next)) since = std::max(since, attempt.end);
    }
    return since;
  }
  [[nodiscard]] bool is_released(TaskId task) const { return release(task) <= now_; }
  [[nodiscard]] bool commutes(TaskId task, DataId data) const {
    const auto accesses = instance_.graph.accesses(task);
    return std::ranges::find(accesses, Access{data, AccessMode::commute}) != accesses.end();
  }
  /// Whether a task that commutes with it on some datum runs.
  [[nodiscard]] bool is_locked(TaskId task) const {
    for (const Access access : instance_.graph.accesses(task)) {
      if (access.mode != AccessMode::commute) continue;
      for (const Attempt& attempt : schedule_.attempts) {
        if (runs(attempt) && commutes(attempt.task, access.data)) return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool is_ready(TaskId task) const {
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.task == task && runs(attempt)) return false;
    }
    return completion(task) > now_ && is_released(task) && !is_locked(task);
  }

  [[nodiscard]] static bool same_link(const Transfer& a, const Transfer& b) { return a.from == b.from && a.to == b.to; }
  /// Whether from now until it starts, other transfers keep its link busy at every instant.
  [[nodiscard]] bool queues(const Transfer& transfer) const {
    for (Time t = now_; t < transfer.start; ++t) {
      const bool is_busy = std::ranges::any_of(schedule_.transfers, [&](const Transfer& other) {
        return same_link(other, transfer) && other.start <= t && t < other.end;
      });
      if (!is_busy) return false;
    }
    return true;
  }
  /// The transfer that brought the datum where another one takes it from, while the task waited.
  [[nodiscard]] const Transfer* hop_before(const Transfer& transfer, Time since) const {
    const Transfer* before = nullptr;
    for (const Transfer& other : schedule_.transfers) {
      const bool brings =
          other.data == transfer.data && other.to == transfer.from && other.end > since && other.end <= transfer.start;
      if (brings && (before == nullptr || other.end >= before->end)) before = &other;
    }
    return before;
  }
  [[nodiscard]] Trip last_trip(const Attempt& next) const {
    const MemoryId memory = instance_.platform.memory_of(next.worker);
    Trip last;
    for (const Access access : instance_.graph.accesses(next.task)) {
      if (!reads(access.mode)) continue;
      for (const Transfer& arrival : schedule_.transfers) {
        if (arrival.data != access.data || arrival.to != memory) continue;
        if (arrival.end <= now_ || arrival.end > next.start) continue;
        const Transfer* before = hop_before(arrival, waits_since(next));
        if (!queues(before == nullptr ? arrival : *before)) continue;
        const Transfer* hop = before != nullptr && now_ < before->end ? before : &arrival;
        const bool later = last.arrival == nullptr || arrival.end > last.arrival->end ||
                           (arrival.end == last.arrival->end && &arrival < last.arrival);
        if (later) last = {&arrival, hop};
      }
    }
    return last;
  }

  const Instance& instance_;
  const Schedule& schedule_;
  const analysis::Recording& recording_;
  Time now_ = 0;
  std::vector<TaskId> ready_;
};

}  // namespace

std::vector<std::vector<PlainUse>> plain_losses(const Instance& instance, const Schedule& schedule,
                                                const analysis::Recording& recording) {
  std::vector<std::vector<PlainUse>> uses(instance.platform.worker_count());
  PlainClassifier classifier(instance, schedule, recording);
  for (Time now = 0; now < schedule.makespan(); ++now) {
    classifier.look_at(now);
    for (const WorkerId worker : instance.platform.workers()) uses[index(worker)].push_back(classifier.use(worker));
  }
  return uses;
}

}  // namespace heddle::test
