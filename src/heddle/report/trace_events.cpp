#include "heddle/report/trace_events.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/analysis/transfer_ends.hpp"
#include "heddle/report/script_json.hpp"

namespace heddle::report {
namespace {

using analysis::Interval;

constexpr Time kNanosecond = kSecond / 1'000'000'000;

/// Where a slice is drawn.
struct Track {
  std::size_t process;
  std::size_t thread;
};

/// A part of a track, in nanoseconds.
struct Slice {
  Track track;
  Time start;
  Time end;
};

class TraceWriter {
 public:
  TraceWriter(const Instance& instance, const Schedule& schedule) : instance_(instance), schedule_(schedule) {
    json_.open_object();
    write(json_, "displayTimeUnit", "ms");
    json_.key("traceEvents");
    json_.open_array();
    name_workers();
  }

  void add_attempts() {
    completed_.resize(instance_.graph.task_count());
    for (std::size_t i = 0; i < schedule_.attempts.size(); ++i) {
      const Attempt& attempt = schedule_.attempts[i];
      const bool completed = attempt.outcome == Outcome::completed;
      if (completed) completed_[attempt.task] = i;
      const Slice slice = slice_of(track_of(attempt.worker), {attempt.start, attempt.end});
      const auto name = instance_.graph.type_name(instance_.graph.type(attempt.task));
      open_slice(slice, name, completed ? "kernel" : to_string(attempt.outcome));
      write(json_, "task", instance_.graph.name(attempt.task));
      close_slice();
    }
  }

  void add_idle_time(const analysis::Losses& losses) {
    for (const WorkerId worker : instance_.platform.workers()) {
      for (const analysis::Span& span : losses.idle_spans(worker)) {
        open_slice(slice_of(track_of(worker), span.time), title_of(span.cause), "idle");
        if (span.cause == analysis::Cause::data) write_link(span.from, span.to);
        close_slice();
      }
    }
  }

  void add_transfers() {
    const std::vector<std::size_t> threads = threads_of_transfers();
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const Transfer& transfer = schedule_.transfers[i];
      const Datum& datum = instance_.graph.datum(transfer.data);
      transfers_.push_back(slice_of({links_process(), threads[i]}, {transfer.start, transfer.end}));
      open_slice(transfers_.back(), datum.name.empty() ? "transfer" : datum.name, "transfer");
      write_link(transfer.from, transfer.to);
      json_.key("bytes");
      json_.integer(transfer.bytes);
      close_slice();
    }
  }

  /// After all slices: an arrow belongs to the slice that is open where it begins or ends.
  void add_arrows() {
    for (const TaskId task : instance_.graph.tasks()) {
      for (const TaskId successor : instance_.graph.successors(task)) {
        if (!completed_[task] || !completed_[successor]) continue;
        add_arrow(slice_of(*completed_[task]), slice_of(*completed_[successor]), "dependency");
      }
    }
    const std::vector<analysis::TransferEnds> ends = analysis::transfer_ends(instance_, schedule_);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].writer) add_arrow(slice_of(*ends[i].writer), transfers_[i], "data");
      if (ends[i].reader) add_arrow(transfers_[i], slice_of(*ends[i].reader), "data");
    }
  }

  [[nodiscard]] std::string text() && {
    json_.close_array();
    json_.close_object();
    return json_.text() + "\n";
  }

 private:
  [[nodiscard]] Track track_of(WorkerId worker) const {
    const ClassId c = instance_.platform.class_of(worker);
    return {index(c) + 1, index(worker) - index(*instance_.platform.workers(c).begin()) + 1};
  }
  [[nodiscard]] std::size_t links_process() const { return instance_.platform.class_count() + 1; }

  static Slice slice_of(Track track, Interval time) {
    return {track, time.start / kNanosecond, time.end / kNanosecond};
  }
  [[nodiscard]] Slice slice_of(std::size_t attempt) const {
    const Attempt& found = schedule_.attempts[attempt];
    return slice_of(track_of(found.worker), {found.start, found.end});
  }

  void name_workers() {
    for (const ClassId c : instance_.platform.classes()) {
      if (instance_.platform.worker_count(c) == 0) continue;
      add_name("process_name", {index(c) + 1, 0}, instance_.platform.class_name(c));
    }
    for (const WorkerId worker : instance_.platform.workers()) {
      add_name("thread_name", track_of(worker), instance_.platform.worker_name(worker));
    }
  }

  /// By transfer; names the threads. Slices of a thread must not overlap: each takes the first thread of its link that
  /// is free.
  std::vector<std::size_t> threads_of_transfers() {
    struct Thread {
      std::size_t number;
      Time free_from;
    };
    if (!schedule_.transfers.empty()) add_name("process_name", {links_process(), 0}, "links");
    std::map<std::pair<MemoryId, MemoryId>, std::vector<Thread>> threads;
    std::vector<std::size_t> by_start(schedule_.transfers.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::ranges::stable_sort(by_start, {}, [&](std::size_t i) { return schedule_.transfers[i].start; });
    std::size_t count = 0;
    std::vector<std::size_t> found(by_start.size());
    for (const std::size_t i : by_start) {
      const Transfer& transfer = schedule_.transfers[i];
      std::vector<Thread>& of_link = threads[{transfer.from, transfer.to}];
      auto thread = std::ranges::find_if(of_link, [&](const Thread& t) { return t.free_from <= transfer.start; });
      if (thread == of_link.end()) {
        thread = of_link.insert(thread, {++count, 0});
        add_name("thread_name", {links_process(), count}, name(transfer.from) + " > " + name(transfer.to));
      }
      thread->free_from = transfer.end;
      found[i] = thread->number;
    }
    return found;
  }
  [[nodiscard]] const std::string& name(MemoryId memory) const { return instance_.platform.memories()[memory].name; }

  void write_track(Track track) {
    json_.key("pid");
    json_.integer(static_cast<std::int64_t>(track.process));
    json_.key("tid");
    json_.integer(static_cast<std::int64_t>(track.thread));
  }
  void write_microseconds(std::string_view key, Time nanoseconds) {
    json_.key(key);
    json_.number(static_cast<double>(nanoseconds) / 1e3);
  }
  void write_link(MemoryId from, MemoryId to) {
    write(json_, "from", name(from));
    write(json_, "to", name(to));
  }

  void add_name(std::string_view kind, Track track, std::string_view value) {
    json_.open_object();
    write(json_, "ph", "M");
    write(json_, "name", kind);
    write_track(track);
    json_.key("args");
    json_.open_object();
    write(json_, "name", value);
    json_.close_object();
    json_.close_object();
  }

  /// What follows are its arguments.
  void open_slice(const Slice& slice, std::string_view name, std::string_view category) {
    json_.open_object();
    write(json_, "ph", "X");
    write(json_, "name", name);
    write(json_, "cat", category);
    write_track(slice.track);
    write_microseconds("ts", slice.start);
    write_microseconds("dur", slice.end - slice.start);
    json_.key("args");
    json_.open_object();
  }
  void close_slice() {
    json_.close_object();
    json_.close_object();
  }

  /// It starts before the end of a slice, where that is still open.
  void add_arrow(const Slice& from, const Slice& to, std::string_view category) {
    ++arrows_;
    add_end_of_arrow("s", from.track, std::max(from.start, from.end - 1), category);
    add_end_of_arrow("f", to.track, to.start, category);
  }
  void add_end_of_arrow(std::string_view phase, Track track, Time time, std::string_view category) {
    json_.open_object();
    write(json_, "ph", phase);
    write(json_, "name", category);
    write(json_, "cat", category);
    json_.key("id");
    json_.integer(arrows_);
    write_track(track);
    write_microseconds("ts", time);
    if (phase == "f") write(json_, "bp", "e");
    json_.close_object();
  }

  const Instance& instance_;
  const Schedule& schedule_;
  ScriptJson json_;
  Table<TaskId, std::optional<std::size_t>> completed_;  ///< the attempt of each task that did
  std::vector<Slice> transfers_;
  std::int64_t arrows_ = 0;
};

}  // namespace

std::string trace_events(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses) {
  TraceWriter writer(instance, schedule);
  writer.add_attempts();
  writer.add_idle_time(losses);
  writer.add_transfers();
  writer.add_arrows();
  return std::move(writer).text();
}

}  // namespace heddle::report
