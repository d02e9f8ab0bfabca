#include "heddle/analysis/losses.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

namespace heddle::analysis {

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, kCauseCount> kNames{
      "kernel", "aborted", "data", "data-or-overhead", "ready-not-run", "no-ready-task", "begin", "end", "unexplained"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view title_of(Cause cause) {
  switch (cause) {
    case Cause::kernel:
      return "kernels";
    case Cause::aborted:
      return "aborted work";
    case Cause::data:
      return "waiting for data";
    case Cause::data_or_overhead:
      return "data or overhead";
    case Cause::ready_not_run:
      return "ready task not run";
    case Cause::no_ready_task:
      return "no ready task";
    case Cause::begin:
      return "no ready task at the start";
    case Cause::end:
      return "no ready task at the end";
    case Cause::unexplained:
      return "unexplained";
  }
  return "";
}

Losses::Losses(const Instance& instance, const Schedule& schedule, Recording recording)
    : instance_(instance),
      recording_(std::move(recording)),
      makespan_(schedule.makespan()),
      attempts_(schedule.attempts.data()),
      waits_since_(waits_since(instance, schedule, recording_)),
      times_(ready_times(instance, schedule, recording_)),
      data_waits_(instance, schedule),
      by_class_(instance.platform.class_count()) {
  std::vector<const Attempt*> attempts;
  attempts.reserve(schedule.attempts.size());
  for (const Attempt& attempt : schedule.attempts) attempts.push_back(&attempt);
  const auto order = [](const Attempt* a) { return std::tuple(a->worker, a->start, a->end, a); };
  std::ranges::sort(attempts, {}, order);
  if (!recording_.has_transfers) find_held(schedule);
  for (auto first = attempts.cbegin(); const WorkerId worker : instance.platform.workers()) {
    const auto last = std::find_if(first, attempts.cend(), [&](const Attempt* a) { return a->worker != worker; });
    first_piece_.push_back(pieces_.size());
    add_worker(std::span(first, last));
    first = last;
  }
  first_piece_.push_back(pieces_.size());
  for (const WorkerId worker : instance.platform.workers()) count(worker);
  count_links();
}

void Losses::find_held(const Schedule& schedule) {
  held_.resize(instance_.graph.data_count());
  std::vector<Attempt> by_start = schedule.attempts;
  std::ranges::sort(by_start, {}, &Attempt::start);
  for (const Attempt& attempt : by_start) {
    for (const Access access : instance_.graph.accesses(attempt.task)) {
      if (access.mode == AccessMode::commute) held_[access.data].append({attempt.start, attempt.end});
    }
  }
}

void Losses::add_worker(std::span<const Attempt* const> attempts) {
  Time now = 0;
  for (const Attempt* attempt : attempts) {
    add_gap({now, std::min(attempt->start, makespan_)}, *attempt, attempt == attempts.front());
    const Interval time{std::max(attempt->start, now), std::min(attempt->end, makespan_)};
    add({time, attempt->outcome == Outcome::completed ? Cause::kernel : Cause::aborted});
    now = std::max(now, time.end);
  }
  add_idle({now, makespan_}, attempts.empty() ? Place::between : Place::after_last);
}

/// The time before an attempt: until its task waits for a worker, and from then on.
void Losses::add_gap(Interval gap, const Attempt& next, bool is_first) {
  if (gap.start >= gap.end) return;
  const Place place = is_first ? Place::before_first : Place::between;
  const Time since = waits_since_[static_cast<std::size_t>(&next - attempts_)];
  const Time waits_from = std::clamp(since, gap.start, gap.end);
  add_idle({gap.start, waits_from}, place);
  std::vector<DataWait> waits;
  data_waits_.find(next, since, {waits_from, gap.end}, waits);
  Time now = waits_from;
  for (const DataWait& wait : std::views::reverse(waits)) {
    add_ready({now, wait.time.start}, next, place);
    add({wait.time, Cause::data, wait.from, wait.to});
    now = wait.time.end;
  }
  add_ready({now, gap.end}, next, place);
}

/// The worker's next task waits, and no datum is on its way.
void Losses::add_ready(Interval time, const Attempt& next, Place place) {
  if (recording_.has_transfers) return add_idle(time, place);
  times_held(next.task, time).split(time, [&](Interval part, bool is_held) {
    if (is_held) return add_idle(part, place);
    add({part, Cause::data_or_overhead});
  });
}

void Losses::add_idle(Interval time, Place place) {
  if (time.start < time.end) pieces_.push_back({{time, Cause::no_ready_task}, true, place});
}

/// When, in the window, the data that a task commutes on is held.
Intervals Losses::times_held(TaskId task, Interval window) const {
  std::vector<Interval> times;
  for (const Access access : instance_.graph.accesses(task)) {
    if (access.mode != AccessMode::commute) continue;
    held_[access.data].split(window, [&](Interval part, bool is_held) {
      if (is_held) times.push_back(part);
    });
  }
  std::ranges::sort(times, {}, &Interval::start);
  Intervals joined;
  for (const Interval time : times) joined.append(time);
  return joined;
}

/// Calls visit(part, cause) for the parts of idle time.
template <class Visit>
void Losses::split_idle(const Piece& piece, ClassId c, Visit&& visit) const {
  times_.ready[c].split(piece.span.time, [&](Interval part, bool is_ready) {
    if (is_ready) return visit(part, Cause::ready_not_run);
    if (piece.place == Place::before_first) return visit(part, Cause::begin);
    if (piece.place == Place::after_last) return visit(part, Cause::end);
    times_.stalled.split(part, [&](Interval rest, bool is_stalled) {
      visit(rest, is_stalled ? Cause::unexplained : Cause::no_ready_task);
    });
  });
}

std::vector<Span> Losses::spans(WorkerId worker) const {
  std::vector<Span> spans;
  for (const Piece& piece : pieces_of(worker)) {
    if (!piece.idle) {
      spans.push_back(piece.span);
      continue;
    }
    split_idle(piece, instance_.platform.class_of(worker),
               [&](Interval part, Cause cause) { spans.push_back({part, cause}); });
  }
  return spans;
}

std::vector<Span> Losses::idle_spans(WorkerId worker) const {
  std::vector<Span> joined;
  for (const Span& span : spans(worker)) {
    if (span.cause == Cause::kernel || span.cause == Cause::aborted) continue;
    Span* last = joined.empty() ? nullptr : &joined.back();
    const bool continues = last != nullptr && last->time.end == span.time.start && last->cause == span.cause &&
                           last->from == span.from && last->to == span.to;
    if (continues) {
      last->time.end = span.time.end;
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

std::vector<Span> Losses::held_up(WorkerId worker) const {
  std::vector<Span> spans;
  for (const Piece& piece : pieces_of(worker)) {
    if (!piece.idle && (piece.span.cause == Cause::data || piece.span.cause == Cause::data_or_overhead)) {
      spans.push_back(piece.span);
    }
  }
  return spans;
}

/// Idle time is measured, not split: it may fall into as many parts as there are attempts.
void Losses::count(WorkerId worker) {
  const ClassId c = instance_.platform.class_of(worker);
  ClassLosses& losses = by_class_[c];
  const auto add = [&](Cause cause, Time time) { losses.by_cause[static_cast<std::size_t>(cause)] += time; };
  for (const Piece& piece : pieces_of(worker)) {
    const Interval time = piece.span.time;
    const Time length = time.end - time.start;
    if (!piece.idle) {
      add(piece.span.cause, length);
      continue;
    }
    const Time ready = times_.ready[c].covered(time);
    add(Cause::ready_not_run, ready);
    if (piece.place == Place::before_first) {
      add(Cause::begin, length - ready);
    } else if (piece.place == Place::after_last) {
      add(Cause::end, length - ready);
    } else {
      const Time stalled = times_.stalled.covered(time);
      add(Cause::unexplained, stalled);
      add(Cause::no_ready_task, length - ready - stalled);
    }
  }
}

void Losses::count_links() {
  std::map<std::tuple<ClassId, MemoryId, MemoryId>, TimeSum> by_link;
  for (const WorkerId worker : instance_.platform.workers()) {
    for (const Piece& piece : pieces_of(worker)) {
      if (piece.span.cause != Cause::data) continue;
      const auto [time, cause, from, to] = piece.span;
      by_link[{instance_.platform.class_of(worker), from, to}] += time.end - time.start;
    }
  }
  for (const auto& [key, time] : by_link) {
    const auto [c, from, to] = key;
    by_class_[c].data.push_back({from, to, time});
  }
  for (ClassLosses& losses : by_class_) {
    std::ranges::stable_sort(losses.data, std::ranges::greater(), &LinkLoss::time);
  }
}

}  // namespace heddle::analysis
