#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/files/files.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/report/html_page.hpp"
#include "heddle/sim/simulate.hpp"

/// What schedules are worth: simulated, measured against lower bounds, validated, compared, and shown on a page; where
/// their time went, and what would have changed it.
/// Neither the instance nor the policy has to be known to anything but the program.
namespace heddle::judge {

/// A policy under the name that reports give it.
class Candidate {
 public:
  /// One of the registry, with its options.
  Candidate(policy::Spec spec);  // NOLINT(google-explicit-constructor): a policy with a name is one as it is
  /// Any other: one that knows nothing yet, of which copies are made. That it can take the instances is the caller's to
  /// know.
  Candidate(std::string name, policy::Policy policy);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Null for a policy that is not of the registry.
  [[nodiscard]] const policy::Spec* spec() const { return spec_ ? &*spec_ : nullptr; }
  /// Why the policy cannot take the instance, in a sentence; empty when it can.
  [[nodiscard]] std::string objection(const Instance& instance) const;
  /// A policy that knows nothing yet; with `facts`, one that also writes down what it is told and answers
  /// (docs/facts.md), which is there when `finish` is called.
  struct Made {
    policy::Policy policy;
    std::function<void()> finish{};
  };
  [[nodiscard]] Made make(std::uint64_t seed, const Schedule* plan, const std::string& facts) const;

 private:
  std::string name_;
  std::optional<policy::Spec> spec_;
  std::optional<policy::Policy> policy_;
};

/// One schedule and how good it is.
struct Judged {
  std::unique_ptr<Schedule> schedule;
  report::ScheduleReport report;  ///< points to the instance and to `schedule`
  std::optional<bounds::Kind> best_kind;
  /// Idle time of each class over what the solution of the best bound uses of it; absent where it uses none.
  Table<ClassId, std::optional<double>> normalized_idle;
  std::string note;         ///< what the policy has to tell; mostly empty
  double wall_seconds = 0;  ///< from the first fact told to the policy to its last decision, engine included
};

/// The bounds as reports list them.
[[nodiscard]] std::vector<report::BoundLine> bound_lines(const bounds::Bounds& bounds);
/// The bound that the ratio refers to; null when there is none.
[[nodiscard]] const report::BoundLine* best_bound(const Judged& judged);

/// Judges a schedule, wherever it comes from. The instance must outlive the result. Throws InternalError when the
/// schedule is not valid.
[[nodiscard]] Judged judge_schedule(const Instance& instance, Schedule schedule, const bounds::Bounds& bounds,
                                    Durations durations = Durations::exact);

struct RunOptions {
  sim::Config config{};
  const Schedule* plan = nullptr;  ///< what the policy follows, if it does; null: what its option `file` names
  std::string facts{};             ///< the file to which what the policy is told and answers is written; empty: none
  /// Told now and then how many tasks have completed; what it throws ends the run.
  std::function<void(std::size_t completed)> watch{};
};

/// Runs the policy in simulated time and judges what it did. Throws InputError when it cannot take the instance,
/// InternalError when it breaks the protocol.
[[nodiscard]] Judged run(const Instance& instance, const Candidate& candidate, const bounds::Bounds& bounds,
                         const RunOptions& options = {});

/// Every way in which a schedule breaks the rules, a sentence each (heddle::validate); of one under noise
/// (Schedule::noise) also where attempts do not last what the noise and the seed say.
[[nodiscard]] std::vector<std::string> violations(const Instance& instance, const Schedule& schedule);

/// The runs of one policy on one instance: so many of `Comparison::judged`.
struct Row {
  std::size_t first;
  std::size_t count;
};

/// An instance and, for each policy, its runs; absent where the policy could not take the instance.
struct Compared {
  files::LoadedInstance loaded;
  std::vector<std::optional<Row>> rows{};
};

/// A policy that was left out.
struct Skipped {
  const files::LoadedInstance* loaded;
  std::size_t policy;
  std::string reason;
};

/// What compare() found, in the order asked for: instance by instance, policy by policy, run by run, whatever ended
/// first.
struct Comparison {
  std::list<Compared> instances;  ///< a list: reports point to them
  std::vector<std::string> policies;
  std::vector<Judged> judged;
  std::vector<Skipped> skipped;
};

struct CompareOptions {
  std::string bound = "default";  ///< as bounds::parse_kinds
  sim::Config config{};           ///< of the first run; the next have the seeds that follow
  std::uint32_t runs = 1;         ///< of each policy on each instance
  bool skips_unfit = false;       ///< leave out policies that cannot take an instance, instead of an InputError
  bool keeps_schedules = true;    ///< for page(); otherwise only what they are worth is kept
  std::function<bool()> stop{};   ///< asked by several threads; when it says so, bounds end with what they have
  /// Told by the calling thread what is under way ("bounds", "runs") and how much of it is done; what it throws ends
  /// the work.
  std::function<void(std::string_view what, std::size_t done, std::size_t total)> watch{};
};

/// Every policy on every instance, on all cores of this machine, which changes no result.
[[nodiscard]] Comparison compare(std::vector<files::LoadedInstance> instances, const std::vector<Candidate>& candidates,
                                 const CompareOptions& options = {});

/// A page of everything that was compared (report::html_page).
[[nodiscard]] std::string page(const Comparison& comparison, const report::Origin& origin = {});

/// Time that workers of a class lost to one cause (docs/analyze.md).
struct LostTime {
  /// "aborted", "data", "data-or-overhead", "ready-not-run", "no-ready-task", "begin", "end" or "unexplained"; or
  /// "unfavourable": kernels that would have cost less on another class, whose time is not lost and 0 here.
  std::string cause;
  ClassId on;
  TimeSum time;  ///< of all workers of the class together
  /// In picoseconds of the makespan; below 0 only for "unfavourable" kernels faster than the instance says.
  double cost;
};

/// An attempt of the chain that decided the makespan.
struct DecidingAttempt {
  std::size_t attempt;  ///< position in Schedule::attempts
  /// The one after it in the chain, as a "predecessor" or on the "worker"; "data"; or "nothing".
  std::string waited_on;
  Time waited;    ///< from the end of the one after it in the chain, or from 0, to its start
  Time for_data;  ///< this much of that for transfers
};

/// A change, and the makespan with it in the simulator.
struct Change {
  std::string what;    ///< "policy heft", "one more gpu", "links twice as fast", "GEMM 10 % faster", "no overhead"
  std::string policy;  ///< that decided; empty: the run's own decisions were kept
  Time makespan = 0;
  /// The part of the simulated run's makespan that it saves, below 0 where it costs; absent where the simulator is too
  /// far from the run to tell.
  std::optional<double> gain;
};

/// Workers of a class that could leave: without them, the run takes at most 0.5 % longer.
struct Leaving {
  ClassId from;
  std::uint32_t workers;
};

/// What a run would have taken if something had been different.
struct WhatIf {
  std::string model;            ///< how the run was simulated: "replay" of its decisions, or its policy
  Time simulated = 0;           ///< the makespan of that
  double model_error = 0;       ///< how far that is from the run's, as a part of it
  bool trusted = false;         ///< the error is small enough for gains to be claimed
  std::vector<Change> changes;  ///< by gain, the largest first
  /// Of each class, while the others stay; "N fewer CLASS" among the changes tells what the run takes then.
  std::vector<Leaving> leaving{};
  std::vector<std::string> not_reached;  ///< changes for which the budget did not suffice
};

/// The best of it in a sentence: "Policy heft would gain 9 %."
[[nodiscard]] std::string advice(const WhatIf& what_if);

/// Where the time of a run went (docs/analyze.md).
struct Analysis {
  Time makespan = 0;
  /// The largest of the default bounds and, with links, of those that know them; nothing if all are 0.
  std::optional<Time> bound{};
  std::string verdict{};  ///< in sentences; with what would help, if changes were simulated
  /// That took time or cost something, the largest cost first. All costs together are the makespan minus the area
  /// bound, for tasks that take what the instance says.
  std::vector<LostTime> losses{};
  std::vector<DecidingAttempt> chain{};  ///< the last attempt first; each waited for the next one
  WhatIf what_if{};
};

struct AnalyzeOptions {
  std::uint64_t attempts = 1'000'000;  ///< about as many are simulated for `what_if`; 0: no changes are simulated
  /// Asked often while changes are simulated; when it says so, no further ones are.
  std::function<bool()> stop{};
};

/// Gives all time of all workers a cause, and simulates changes of the run. The same in every run, unless `stop` ends
/// it. Throws InputError when the schedule is not valid; its durations may differ from the instance's.
[[nodiscard]] Analysis analyze(const Instance& instance, const Schedule& schedule, const AnalyzeOptions& options = {});
/// A run that happened (files::load_runs): of a recording, what it does not tell counts as "data-or-overhead".
[[nodiscard]] Analysis analyze(const files::LoadedRun& run, const AnalyzeOptions& options = {});

}  // namespace heddle::judge
