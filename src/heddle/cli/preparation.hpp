#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::cli {

/// A schedule to start a search from.
struct Start {
  std::string from;  ///< the policy, or the file
  Schedule schedule;
};

/// What a search wants to have before it begins, but need not wait for: the bounds that take no time, schedules of
/// policies to start from, in their order, then all bounds. Threads of its own make them. The functions are for one
/// thread, that of the search.
class Preparation {
 public:
  struct Wanted {
    std::vector<policy::Spec> starts;
    std::vector<bounds::Kind> bounds;
    std::uint64_t seed = 1;
    std::size_t threads = 1;
    std::function<bool()> stop{};  ///< asked often, by several threads: whether what is under way is to be given up
  };

  /// The instance must outlive it.
  Preparation(const Instance& instance, Wanted wanted);
  /// Stops what is under way; what a policy computes before its first decision goes on to its end.
  ~Preparation();
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  /// Waits for everything; with `seconds`, for all starts, but no longer than that, and twice as long for the most
  /// promising one; only for the first one that is ready it waits longer. From then on a thread makes the bounds and
  /// another one what is left of the starts. Throws what a policy throws. Ends early when Wanted::stop says so.
  void wait(std::optional<double> seconds);
  /// The starts that were completed since the last call, the most promising first.
  [[nodiscard]] std::vector<Start> take_starts();
  /// The best lower bound so far; 0 where there is none yet.
  [[nodiscard]] Time bound() const;
  /// How many of its threads are at work.
  [[nodiscard]] std::size_t busy() const;
  /// Stops, and answers the bounds, as far as they have come.
  [[nodiscard]] const bounds::Bounds& finish();

 private:
  /// The number of a start, or one of these:
  using Job = std::size_t;
  [[nodiscard]] Job quick_bounds() const { return wanted_.starts.size(); }
  [[nodiscard]] Job all_bounds() const { return wanted_.starts.size() + 1; }

  void work();
  [[nodiscard]] std::optional<Job> next_job();
  void do_job(Job job);
  void compute_bounds(std::span<const bounds::Kind> kinds);
  [[nodiscard]] std::optional<Schedule> simulate(const policy::Spec& spec) const;
  /// Whether a search can begin after so many seconds, with no patience left after twice as many.
  [[nodiscard]] bool suffices(double elapsed, std::optional<double> seconds) const;
  /// Whether what is under way is to be given up.
  [[nodiscard]] bool stops() const;

  const Instance& instance_;
  const Wanted wanted_;
  std::atomic<bool> stopped_ = false;  ///< nothing more is wanted
  mutable std::mutex mutex_;           ///< guards what follows
  std::condition_variable changed_;
  std::vector<Job> jobs_;  ///< not begun, the next one last
  bool bounds_done_ = false;
  bool beside_ = false;  ///< a search is under way
  std::size_t busy_ = 0;
  std::vector<std::optional<Schedule>> completed_;  ///< by start: those not taken yet
  std::vector<bool> ended_;                         ///< by start
  std::exception_ptr error_;
  bounds::Bounds bounds_;
  std::vector<std::jthread> threads_;
};

}  // namespace heddle::cli
