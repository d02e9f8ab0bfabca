#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/model/time.hpp"

/// Schedules better than any policy's, offline: a search that can be stopped at any time and, for small instances, one
/// that proves its schedule optimal.
namespace heddle::search {

/// How a search goes.
struct Progress {
  double done = 0;          ///< part of the moves or of the time, from 0 to 1
  Time makespan = 0;        ///< of the best schedule so far
  std::uint64_t moves = 0;  ///< tried so far
};

/// What comes in while a search goes on.
struct News {
  std::vector<Schedule> starts{};  ///< valid ones, more of them
  std::size_t threads = 1;         ///< to use from now on
};

struct Options {
  /// Moves to try, in all, rounded up a little; one takes microseconds. When set, the result depends on nothing else
  /// but instance, starts and seed: neither on time nor on threads.
  std::optional<std::uint64_t> moves = std::nullopt;
  /// Wall-clock seconds; the search ends when either is used up.
  std::optional<double> seconds = std::nullopt;
  /// A schedule this short is good enough, for example a lower bound.
  Time enough = 0;
  /// Carries out a plan where it takes longer than it seems to, for example with transfers: its answer is what counts.
  /// None: plans are what they seem to be.
  std::function<Schedule(const Schedule& plan)> judge = nullptr;
  /// Asked fifty times or so while the search goes on.
  std::function<News()> news = nullptr;
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  /// Called by the calling thread some times a second; when it answers false, the search ends. What it throws comes
  /// out.
  std::function<bool(const Progress&)> progress = nullptr;
};

struct Result {
  Schedule schedule;        ///< no longer than any of the starts
  std::size_t start = 0;    ///< the number of the schedule that it descends from; those that came in later count on
  std::uint64_t moves = 0;  ///< tried
};

/// Improves schedules: four simulated annealings (annealing.hpp; more where there are more than two threads and only
/// time counts), of which the worse half is given up soon. Where tasks go, in which order, and when workers wait on
/// purpose all follows from moves of tasks, most of them critical.
///
/// `starts` are valid schedules of the instance, at least one, the most promising one first; half of the annealings
/// start from it, the others from the shortest of the others. Attempts that were aborted are dropped. Actual durations.
/// The moves do not know links. On a platform with some, what is found without a judge is a plan without transfers, to
/// be carried out (policy `static`). One of `moves` and `seconds` must be set.
[[nodiscard]] Result improve(const Instance& instance, std::span<const Schedule> starts, const Options& options);

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
