#include "heddle/bounds/slack.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "heddle/bounds/choice.hpp"
#include "heddle/bounds/dual_search.hpp"
#include "heddle/bounds/longest_paths.hpp"

namespace heddle::bounds {
namespace {

double slowest(std::span<const Time> times) {
  Time longest = 0;
  for (const Time time : times) {
    if (time != kCannotRun) longest = std::max(longest, time);
  }
  return static_cast<double>(longest);
}

/// One round of share_slack; answers how much was given away. On a path with slack s, whose tasks could use w in all, a
/// task that could use u gets at most u s / w, since it looks at its worst path: together at most s.
double give_slack(const TaskGraph& graph, double deadline, const Table<TaskId, double>& wanted,
                  Table<TaskId, double>& allowed) {
  Table<TaskId, double> usable(allowed.size());
  for (const TaskId task : allowed.ids()) usable[task] = std::max(wanted[task] - allowed[task], 0.0);
  const LongestPaths taken(graph, allowed);
  const LongestPaths missing(graph, usable);
  double total = 0;
  for (const TaskId task : allowed.ids()) {
    if (usable[task] == 0) continue;
    const double slack = std::max(deadline - taken.length(task), 0.0);
    usable[task] *= std::min(1.0, slack / missing.length(task));
    total += usable[task];
  }
  for (const TaskId task : allowed.ids()) allowed[task] += usable[task];
  return total;
}

/// The two steps of fit_within_slack.
class SlackFit {
 public:
  SlackFit(const Instance& instance, double deadline)
      : instance_(instance), deadline_(deadline), fastest_(instance.graph.task_count()), slowest_(fastest_.size()) {
    for (const ClassId c : instance.platform.classes()) workers_.push_back(instance.platform.worker_count(c));
    for (const TaskId task : instance.graph.tasks()) {
      fastest_[task] = static_cast<double>(std::ranges::min(instance.costs.actual_row(task)));
      slowest_[task] = bounds::slowest(instance.costs.actual_row(task));
    }
  }

  /// What allows every choice.
  [[nodiscard]] const Table<TaskId, double>& slowest() const { return slowest_; }

  /// Slack goes first to tasks whose class of choice at these dual values is not their fastest, then to all.
  [[nodiscard]] Table<TaskId, double> allow(std::span<const double> duals) const {
    Table<TaskId, double> wanted(fastest_.size());
    for (const TaskId task : wanted.ids()) {
      const auto row = instance_.costs.actual_row(task);
      wanted[task] = static_cast<double>(row[choose(row, duals, slowest_[task]).first]);
    }
    Table<TaskId, double> allowed = fastest_;
    share_slack(instance_.graph, deadline_, wanted, allowed);
    share_slack(instance_.graph, deadline_, slowest_, allowed);
    return allowed;
  }

  /// The same close to durations of a solution that nearly keeps the deadline.
  [[nodiscard]] Table<TaskId, double> allow_near(Table<TaskId, double> allowed) const {
    for (const TaskId task : allowed.ids()) allowed[task] = std::max(allowed[task], fastest_[task]);
    const LongestPaths paths(instance_.graph, allowed);
    const LongestPaths fastest(instance_.graph, fastest_);
    for (const TaskId task : allowed.ids()) {
      const double excess = std::max(paths.length(task) - deadline_, 0.0);
      // On each path, tasks look at one that is at least as long: together they give up at least its excess.
      const double room = paths.length(task) - fastest.length(task);
      const double kept = excess < room ? 1 - excess / room : 0;
      allowed[task] = fastest_[task] + kept * (allowed[task] - fastest_[task]);
    }
    share_slack(instance_.graph, deadline_, slowest_, allowed);
    return allowed;
  }

  /// The use of a solution that takes no longer than allowed and ends by the deadline, if that allows one.
  [[nodiscard]] std::optional<Table<ClassId, double>> spread_by_deadline(const Table<TaskId, double>& allowed) const {
    constexpr double kRounding = 1e-12;
    if (LongestPaths(instance_.graph, allowed).longest() > deadline_ * (1 + kRounding)) return std::nullopt;
    const DualPoint weighed = spread(allowed, deadline_);
    if (weighed.reached > deadline_) return std::nullopt;
    Table<ClassId, double> use(weighed.use.size());
    for (const ClassId c : use.ids()) use[c] = weighed.use[index(c)];
    return use;
  }

  /// Spreads the work when each task may take what is allowed; for `enough` see search_duals.
  [[nodiscard]] DualPoint spread(const Table<TaskId, double>& allowed, double enough) const {
    const auto cheapest = [&](std::span<const double> duals, std::span<double> use) {
      for (const TaskId task : allowed.ids()) {
        const auto row = instance_.costs.actual_row(task);
        const Choice choice = choose(row, duals, allowed[task]);
        use[choice.first] += choice.of_first * static_cast<double>(row[choice.first]);
        if (choice.of_first < 1) use[choice.second] += (1 - choice.of_first) * static_cast<double>(row[choice.second]);
      }
    };
    return search_duals(workers_, cheapest, enough);
  }

 private:
  const Instance& instance_;
  double deadline_;
  std::vector<double> workers_;
  Table<TaskId, double> fastest_;
  Table<TaskId, double> slowest_;
};

}  // namespace

void share_slack(const TaskGraph& graph, double deadline, const Table<TaskId, double>& wanted,
                 Table<TaskId, double>& allowed) {
  constexpr int kMaxRounds = 20;
  constexpr double kLittle = 1e-6;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (give_slack(graph, deadline, wanted, allowed) <= kLittle * deadline) break;
  }
}

std::optional<Table<ClassId, double>> fit_within_slack(const Instance& instance, double deadline) {
  const SlackFit fit(instance, deadline);
  const DualPoint free = fit.spread(fit.slowest(), 0);
  return fit.spread_by_deadline(fit.allow(free.duals));
}

std::optional<Table<ClassId, double>> fit_near(const Instance& instance, double deadline,
                                               const Table<TaskId, double>& durations) {
  const SlackFit fit(instance, deadline);
  return fit.spread_by_deadline(fit.allow_near(durations));
}

}  // namespace heddle::bounds
