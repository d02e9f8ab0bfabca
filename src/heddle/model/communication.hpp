#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/routes.hpp"

namespace heddle {

/// What tasks send each other and how long that takes: the communication costs of offline list scheduling. As in its
/// papers, messages do not wait for each other, and each consumer has its own: copies that another task brought are not
/// seen.
class Communication {
 public:
  /// What a task needs from one place: all that it reads and that `producer` wrote last, in the order in which tasks
  /// were submitted; with producer kNone, all that it is the first to need from `home`. Tasks that commute on a datum,
  /// or reduce it, count as its writers together. A producer is an ancestor, but where others only read in between it
  /// is not always a predecessor.
  struct Inflow {
    TaskId producer;
    MemoryId home;
    std::int64_t bytes;
  };

  /// Throws InputError when the platform has links that do not reach some memory (Routes).
  explicit Communication(const Instance& instance);

  /// Whether nothing takes time, because the platform has no links. Then there are no inflows.
  [[nodiscard]] bool free() const { return routes_.free(); }
  [[nodiscard]] std::span<const Inflow> inflows(TaskId task) const {
    if (begin_.empty()) return {};
    return {inflows_.data() + begin_[index(task)], inflows_.data() + begin_[index(task) + 1]};
  }
  [[nodiscard]] Time duration(MemoryId from, MemoryId to, std::int64_t bytes) const {
    return routes_.duration(from, to, bytes);
  }
  /// The mean of the durations over all ordered pairs of different workers, rounded down; pairs that share a memory
  /// count as zero.
  [[nodiscard]] Time mean(std::int64_t bytes) const;

 private:
  void collect_inflows(const Instance& instance);

  struct Pair {
    MemoryId from;
    MemoryId to;
    std::int64_t workers;  ///< pairs of workers
  };

  Routes routes_;
  std::vector<Pair> pairs_;
  std::int64_t all_pairs_ = 1;
  std::vector<std::uint32_t> begin_;  ///< by task; empty without links
  std::vector<Inflow> inflows_;
  std::vector<std::pair<std::int64_t, Time>> means_;  ///< by bytes of the inflows, ascending
};

}  // namespace heddle
