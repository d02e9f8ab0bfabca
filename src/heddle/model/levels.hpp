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

/// The weight of a task in a rank: its smallest duration over the classes, or the exact mean of its durations over the
/// workers that can run it.
enum class Rank : std::uint8_t { min, avg };

/// Bottom levels by estimates: the largest sum of weights over the paths that start at the task, the task included. For
/// `min` they are picoseconds; for `avg` only their order (and equality) means anything, since means are fractions:
/// they are scaled to a common denominator. Throws InputError when the denominators are too many for 64 bits.
[[nodiscard]] Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank);

/// Bottom levels in which what a task sends weighs its mean duration (upward ranks of Topcuoglu et al. 2002, equation
/// 6); first reads weigh nothing. Only their order means anything, unless communication is free.
[[nodiscard]] Table<TaskId, std::int64_t> bottom_levels(const Instance& instance, Rank rank,
                                                        const Communication& communication);

/// The same for the longest path that goes through a task, from an entry to an exit of the graph (the sum of upward and
/// downward rank, section 4.2): largest for the tasks of the critical path. Only their order means anything.
[[nodiscard]] Table<TaskId, std::int64_t> longest_paths_through(const Instance& instance, Rank rank,
                                                                const Communication& communication);

/// The longest path when each task takes its smallest actual duration; its tasks in order.
struct CriticalPath {
  Time length = 0;
  std::vector<TaskId> tasks;
};
[[nodiscard]] CriticalPath critical_path(const Instance& instance);

}  // namespace heddle
