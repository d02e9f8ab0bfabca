#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

/// The shortest schedule there is, and the proof that it is, for small instances.
namespace heddle::search {

struct ProveProgress {
  Time makespan = 0;     ///< of the best schedule so far
  Time lower_bound = 0;  ///< proven so far
  std::uint64_t nodes = 0;
};

struct ProveOptions {
  /// Wall-clock seconds; the only option under which results may differ between runs and machines.
  std::optional<double> seconds = std::nullopt;
  /// Nodes of the search trees.
  std::optional<std::uint64_t> nodes = std::nullopt;
  /// Called when makespan or bound have changed, and often besides; when it answers false, the search ends. What it
  /// throws comes out.
  std::function<bool(const ProveProgress&)> progress = nullptr;
  /// To remember searched nodes in.
  std::size_t memory_bytes = std::size_t{512} << 20U;
};

struct Proof {
  Schedule schedule;     ///< the best that is known
  Time lower_bound = 0;  ///< no schedule is shorter; the schedule's makespan when it is optimal
  std::uint64_t nodes = 0;

  [[nodiscard]] bool optimal() const { return lower_bound == schedule.makespan(); }
};

/// The most tasks an instance may have.
inline constexpr std::size_t kMaxProvableTasks = 300;

/// Improves `incumbent` and `lower_bound` until they meet or a limit is reached; on actual durations, without
/// preemption. Between them deadlines are chosen, at first close to the bound, for the effort grows with the distance,
/// and each is met or refuted: by narrowing what every schedule that ends in time has in common (TimeWindows), then by
/// branch and bound (ChronologicalSearch). What was refuted stays so when the search is stopped.
///
/// Throws InputError when the platform has links, when there are more than kMaxProvableTasks tasks, and when
/// `incumbent` is no valid schedule of the instance.
[[nodiscard]] Proof prove(const Instance& instance, Schedule incumbent, Time lower_bound,
                          const ProveOptions& options = {});

}  // namespace heddle::search
