#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/model/task_graph.hpp"
#include "heddle/report/ready_queue.hpp"

/// How the page's data is packed: numbers as variable-length bytes (seven bits each, the lowest first, the top bit says
/// that more follow) in base64. page/decode.js is the other side.
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

 private:
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

/// A schedule for drawing. Times, those of transfers too, are multiples of `unit` picoseconds.
struct PackedSchedule {
  Time unit = 1;
  /// Worker by worker: how many attempts, then for each, by start: (difference to the previous task << 2 | outcome),
  /// idle time since the previous end (both with a sign), duration.
  ByteColumn attempts;
  ByteColumn queue;  ///< per step: time since the previous one, change of depth (with a sign)
  ByteColumn chain;  ///< the critical chain, as positions in `attempts`
};
[[nodiscard]] PackedSchedule pack_schedule(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::report
