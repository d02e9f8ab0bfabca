#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::policy {

/// Finds the policy with the smallest makespan on the estimates: candidates are simulated one after the other, each
/// from the start of the run. Ties go to the one that entered first.
///
/// What the contest costs is counted in events, attempts that end in a simulation (Lookahead::events), so that it
/// decides alike on every machine; what plans cost is charged in events too.
class Contest {
 public:
  struct Budget {
    std::uint64_t events = 0;
    /// Not less than so many times what the slowest candidate so far took.
    std::uint64_t times_slowest = 0;
    /// Wall-clock seconds instead: the only way to outcomes that differ between runs.
    std::optional<double> seconds{};
    /// No makespan is smaller.
    Time bound = 0;
  };
  struct Candidate {
    std::string name;
    Policy policy;  ///< that knows nothing yet
    /// What it computes beside its simulation costs as much as so many events.
    std::uint64_t planning = 0;
    /// What its simulation will take: it is not begun where that is not allowed. 0: it can be stopped at any time.
    std::uint64_t foreseen = 0;
  };
  enum class Fate : std::uint8_t {
    completed,
    passed,    ///< stopped: it could not be better than the best any more
    too_long,  ///< stopped: what it was allowed was spent
    untried,   ///< not begun: the best is optimal, or the budget does not allow for it
    unfit,     ///< it could not take the instance
  };
  struct Entrant {
    std::string name;
    Fate fate = Fate::completed;
    Time makespan = 0;       ///< from the begin of the contest on, of those that completed
    Schedule schedule = {};  ///< of those that completed: the attempts
  };

  /// Within the start() of the policy that asks. The view has to outlive the contest.
  Contest(const View& view, const Budget& budget);

  /// Simulates to the end, whatever it costs.
  void complete(const Candidate& candidate);
  /// Simulates as long as the candidate may win, whatever it costs, and charges nothing.
  void consider(const Candidate& candidate);
  /// Simulates as long as the candidate may win and takes no more than 1/`share` of what is left of the budget.
  void attempt(const Candidate& candidate, std::uint64_t share = 1);

  /// The best so far; nothing as long as no candidate completed.
  [[nodiscard]] const std::optional<Policy>& best() const { return best_; }
  [[nodiscard]] const std::vector<Entrant>& entrants() const { return entrants_; }
  [[nodiscard]] bool entered(const std::string& name) const;
  [[nodiscard]] std::uint64_t spent() const;
  /// Whether no further candidate is tried: the best is optimal, or the budget is spent.
  [[nodiscard]] bool over() const;
  /// What is left of the budget; seconds only where those count.
  [[nodiscard]] std::uint64_t events_left() const;
  [[nodiscard]] std::optional<double> seconds_left() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Until when a candidate may go on.
  struct Limit {
    std::uint64_t events;  ///< spent in all
    std::optional<Clock::time_point> deadline;
  };

  [[nodiscard]] Limit limit(std::uint64_t share) const;
  [[nodiscard]] bool reached(const Limit& limit) const;
  [[nodiscard]] bool may_still_win(const Attempt& attempt) const;
  [[nodiscard]] std::uint64_t allowed() const;
  /// Simulates as long as `judge` says `completed` of each attempt that ends.
  void enter(const Candidate& candidate, const std::function<Fate(const Attempt&)>& judge);

  const View& view_;
  Budget budget_;
  Time begin_;  ///< in the run: engines that really execute begin when much else was done
  std::optional<Clock::time_point> deadline_;
  Table<TaskId, Time> after_;  ///< the longest path from the end of a task, each task on its fastest class
  std::uint64_t planning_ = 0;
  std::uint64_t gratis_ = 0;   ///< of what was simulated, that is not charged
  std::uint64_t slowest_ = 0;  ///< what a candidate took at the most
  std::optional<Policy> best_;
  Time makespan_ = kMaxTime;
  std::vector<Entrant> entrants_;
};

}  // namespace heddle::policy
