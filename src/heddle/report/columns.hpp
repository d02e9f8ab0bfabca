#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/model/task_graph.hpp"
#include "heddle/report/ready_queue.hpp"

/// How the page's data is packed: numbers as variable-length bytes (seven bits each, the lowest first, the top bit says
/// that more follow), compressed, in base64. page/decode.js is the other side.
namespace heddle::report {

class ByteColumn {
 public:
  void add(std::uint64_t value);
  /// Small numbers of either sign stay small: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  void add_signed(std::int64_t value) { add(zigzag(value)); }
  [[nodiscard]] static std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
  }
  [[nodiscard]] std::string base64() const;
  /// As pages hold it: compressed by zlib, in base64.
  [[nodiscard]] std::string text() const { return compressed().base64(); }

 private:
  [[nodiscard]] ByteColumn compressed() const;

  std::vector<std::uint8_t> bytes_;
};

/// Names as patterns: "GEMM(3,2,1)" is the pattern "GEMM(", ",", ",", ")" and the numbers 3, 2, 1.
struct PackedNames {
  std::vector<std::vector<std::string>> patterns;  ///< the pieces between the numbers
  ByteColumn column;                               ///< per name: its pattern, then its numbers
};
/// Those of tasks.
[[nodiscard]] PackedNames pack_names(const TaskGraph& graph);
[[nodiscard]] PackedNames pack_data_names(const TaskGraph& graph);

/// The type of each task.
[[nodiscard]] ByteColumn pack_types(const TaskGraph& graph);

/// The instants that a page tells apart: multiples of a unit.
struct Grid {
  Time unit = 1;        ///< in picoseconds
  bool rounds = false;  ///< whether instants of the schedule are between two of these

  /// The number of the nearest one.
  [[nodiscard]] std::int64_t operator()(Time instant) const { return (instant + unit / 2) / unit; }
};

/// Of a schedule: all its instants, by their largest common divisor. For more than half a million attempts and
/// transfers at most 2^30 instants, so that the page stays small; then times are rounded.
[[nodiscard]] Grid grid_of(const Schedule& schedule);

/// When the bars of a chart were, row by row, each row by start: the time since the end of the one before (with a sign)
/// of all bars, then how long each took. Field by field is smaller, once compressed, than bar by bar.
template <class Bar>
void add_times(ByteColumn& column, std::span<const std::span<const Bar>> rows, Grid grid) {
  for (const std::span<const Bar> row : rows) {
    std::int64_t now = 0;
    for (const Bar& bar : row) {
      column.add_signed(grid(bar.start) - now);
      now = std::max(grid(bar.start), grid(bar.end));
    }
  }
  for (const std::span<const Bar> row : rows) {
    for (const Bar& bar : row) {
      column.add(static_cast<std::uint64_t>(std::max<std::int64_t>(grid(bar.end) - grid(bar.start), 0)));
    }
  }
}

/// The schedule's attempts, as positions in it, in the order in which they are packed: worker by worker, by start.
[[nodiscard]] std::vector<std::size_t> drawing_order(const Schedule& schedule);

/// A schedule for drawing. Times are numbers of instants of the grid.
struct PackedSchedule {
  /// For each worker how many attempts; for each of these, worker by worker and by start: (difference to the worker's
  /// previous task, with a sign, << 2 | outcome); their times (add_times).
  ByteColumn attempts;
  ByteColumn queue;  ///< per step: time since the previous one, change of depth (with a sign)
  ByteColumn chain;  ///< the critical chain, as positions in `attempts`
};
[[nodiscard]] PackedSchedule pack_schedule(const Instance& instance, const Schedule& schedule, Grid grid);

}  // namespace heddle::report
