#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/analysis/data_waits.hpp"
#include "heddle/analysis/intervals.hpp"
#include "heddle/analysis/ready_times.hpp"
#include "heddle/analysis/recording.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// What a worker's time went to: a kernel, or the cause of the loss. docs/analyze.md states the rules.
enum class Cause : std::uint8_t {
  kernel,            ///< an attempt that completed
  aborted,           ///< one that was aborted, or failed
  data,              ///< its next task waited for data
  data_or_overhead,  ///< its next task was ready; the recording does not tell what it waited for
  ready_not_run,     ///< a task was ready that the worker could run
  no_ready_task,     ///< none was, between its attempts, while others ran
  begin,             ///< none was, before its first attempt
  end,               ///< none was, after its last attempt
  unexplained,       ///< none was, and nothing ran anywhere
};
inline constexpr std::size_t kCauseCount = 9;

/// "kernel", "aborted", "data", "data-or-overhead", ...
[[nodiscard]] std::string_view to_string(Cause cause);
/// What time goes to, for people: "kernels", "waiting for data", ...
[[nodiscard]] std::string_view title_of(Cause cause);
/// All but `kernel`, in the order of reports.
inline constexpr std::array<Cause, kCauseCount - 1> kLosses{
    Cause::aborted, Cause::data, Cause::data_or_overhead, Cause::ready_not_run, Cause::no_ready_task,
    Cause::begin,   Cause::end,  Cause::unexplained};

/// What a worker did, or lost, for a while.
struct Span {
  Interval time;
  Cause cause;
  MemoryId from = kNone<MemoryId>;  ///< of `data`: the link
  MemoryId to = kNone<MemoryId>;

  bool operator==(const Span&) const = default;
};

struct LinkLoss {
  MemoryId from;
  MemoryId to;
  TimeSum time;
};

/// The time of a class's workers up to the makespan, by cause: together workers x makespan.
struct ClassLosses {
  std::array<TimeSum, kCauseCount> by_cause{};
  std::vector<LinkLoss> data;  ///< Cause::data by link, the longest first

  [[nodiscard]] TimeSum operator[](Cause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
};

/// Gives every picosecond of every worker, from 0 to the makespan, exactly one cause. The schedule's attempts must be
/// valid (validate_attempts); the instance and the schedule must outlive this. O(n log n) for n attempts, transfers and
/// edges (ready_times.hpp says what commuting tasks add).
class Losses {
 public:
  Losses(const Instance& instance, const Schedule& schedule, Recording recording = {});

  [[nodiscard]] const Table<ClassId, ClassLosses>& by_class() const { return by_class_; }
  /// What the worker's time went to, without gaps, in the order of time: equal neighbours are not joined.
  [[nodiscard]] std::vector<Span> spans(WorkerId worker) const;
  /// The same while it ran no attempt; equal neighbours are joined.
  [[nodiscard]] std::vector<Span> idle_spans(WorkerId worker) const;

  /// The same in less room: spans() may list as many parts of one gap as there are attempts elsewhere. A gap between
  /// the worker's attempts is held up for its next task (`data`, `data_or_overhead`) in these spans, in the order of
  /// time. All else in it is ready_not_run where times() has a task ready for the class, and otherwise begin, end,
  /// unexplained where they say that all is stalled, or no_ready_task.
  [[nodiscard]] std::vector<Span> held_up(WorkerId worker) const;
  [[nodiscard]] const ReadyTimes& times() const { return times_; }

 private:
  /// Where idle time stands among the attempts of its worker; that of a worker without any is between them.
  enum class Place : std::uint8_t { before_first, between, after_last };
  /// Time with one cause, or idle time, which falls into causes by what is ready meanwhile.
  struct Piece {
    Span span;
    bool idle = false;
    Place place = Place::between;
  };

  void find_held(const Schedule& schedule);
  void add_worker(std::span<const Attempt* const> attempts);
  void add_gap(Interval gap, const Attempt& next, bool is_first);
  void add_ready(Interval time, const Attempt& next, Place place);
  void add_idle(Interval time, Place place);
  void add(Span span) {
    if (span.time.start < span.time.end) pieces_.push_back({span});
  }
  [[nodiscard]] Intervals times_held(TaskId task, Interval window) const;
  [[nodiscard]] std::span<const Piece> pieces_of(WorkerId worker) const {
    return std::span(pieces_).subspan(first_piece_[index(worker)],
                                      first_piece_[index(worker) + 1] - first_piece_[index(worker)]);
  }
  template <class Visit>
  void split_idle(const Piece& piece, ClassId c, Visit&& visit) const;
  void count(WorkerId worker);
  void count_links();

  const Instance& instance_;
  Recording recording_;
  Time makespan_;
  const Attempt* attempts_;        ///< the schedule's
  std::vector<Time> waits_since_;  ///< by attempt
  ReadyTimes times_;
  DataWaits data_waits_;
  Table<DataId, Intervals> held_;         ///< when tasks that commute on it ran; without transfers only
  std::vector<Piece> pieces_;             ///< worker by worker
  std::vector<std::size_t> first_piece_;  ///< by worker, and one more
  Table<ClassId, ClassLosses> by_class_;
};

}  // namespace heddle::analysis
