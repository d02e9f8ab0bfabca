#include "heddle/report/run_csv.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/analysis/chain.hpp"
#include "heddle/report/csv.hpp"

namespace heddle::report {
namespace {

class RunTable {
 public:
  RunTable(const Instance& instance, const Schedule& schedule) : instance_(instance), schedule_(schedule) {
    add({"kind", "start", "end", "worker", "task", "type", "outcome", "waited", "for", "cause", "data", "from", "to",
         "bytes"});
  }

  void add_attempts() {
    const std::vector<analysis::WaitedFor> waits = analysis::waited_for(instance_, schedule_);
    for (std::size_t i = 0; i < waits.size(); ++i) {
      const Attempt& attempt = schedule_.attempts[i];
      Row row = row_of("attempt", {attempt.start, attempt.end});
      row[kWorker] = instance_.platform.worker_name(attempt.worker);
      row[kTask] = instance_.graph.name(attempt.task);
      row[kType] = instance_.graph.type_name(instance_.graph.type(attempt.task));
      row[kOutcome] = to_string(attempt.outcome);
      const auto& before = waits[i].attempt;
      row[kWaited] = format_seconds(attempt.start - (before ? schedule_.attempts[*before].end : 0));
      if (waits[i].wait != analysis::Wait::nothing) row[kFor] = to_string(waits[i].wait);
      add(row);
    }
  }

  void add_transfers() {
    for (const Transfer& transfer : schedule_.transfers) {
      Row row = row_of("transfer", {transfer.start, transfer.end});
      row[kData] = instance_.graph.datum(transfer.data).name;
      set_link(row, transfer.from, transfer.to);
      row[kBytes] = std::to_string(transfer.bytes);
      add(row);
    }
  }

  void add_idle_time(const analysis::Losses& losses) {
    for (const WorkerId worker : instance_.platform.workers()) {
      for (const analysis::Span& span : losses.idle_spans(worker)) {
        Row row = row_of("idle", span.time);
        row[kWorker] = instance_.platform.worker_name(worker);
        row[kCause] = to_string(span.cause);
        if (span.cause == analysis::Cause::data) set_link(row, span.from, span.to);
        add(row);
      }
    }
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  enum Cell : std::uint8_t {
    kKind,
    kStart,
    kEnd,
    kWorker,
    kTask,
    kType,
    kOutcome,
    kWaited,
    kFor,
    kCause,
    kData,
    kFrom,
    kTo,
    kBytes
  };
  using Row = std::array<std::string, kBytes + 1>;

  static Row row_of(const char* kind, analysis::Interval time) {
    Row row;
    row[kKind] = kind;
    row[kStart] = format_seconds(time.start);
    row[kEnd] = format_seconds(time.end);
    return row;
  }
  void set_link(Row& row, MemoryId from, MemoryId to) const {
    row[kFrom] = instance_.platform.memories()[from].name;
    row[kTo] = instance_.platform.memories()[to].name;
  }
  void add(const Row& row) { text_ += csv_row(row); }

  const Instance& instance_;
  const Schedule& schedule_;
  std::string text_;
};

}  // namespace

std::string run_csv(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses) {
  RunTable table(instance, schedule);
  table.add_attempts();
  table.add_transfers();
  table.add_idle_time(losses);
  return std::move(table).text();
}

}  // namespace heddle::report
