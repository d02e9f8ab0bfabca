#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/hints.hpp"
#include "heddle/policy/kit/plans/adaptive_replay.hpp"
#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/plans/offline_plans.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Where the plan comes from: a given schedule, of which only completed attempts count, or HEFT on the estimates, with
/// hints obeyed and slow classes inflated.
struct PlanSource {
  bool computed = false;
  std::vector<Attempt> given;
  Time given_lead = 0;
  std::vector<Hint> hints;
  std::uint32_t inflation = 0;  ///< percent

  [[nodiscard]] std::vector<Attempt> plan(const Instance& instance) const {
    if (!computed) return given;
    return heft_plan(inflated(with_hints(instance, hints), inflation), Rank::min);
  }
  /// From the beginning of the plan to its first attempt: what that needs comes first.
  [[nodiscard]] Time lead(std::span<const Attempt> plan) const { return computed ? first_start(plan) : given_lead; }
  /// 0: there is none.
  [[nodiscard]] static Time first_start(std::span<const Attempt> plan) {
    const auto first = std::ranges::min_element(plan, {}, &Attempt::start);
    return first == plan.end() ? 0 : first->start;
  }
};

/// Replays a plan, to the letter (FollowPlan) or with departures (AdaptiveReplay).
template <class Replay>
class Static : public Replay {
 public:
  Static(PlanSource source, Replay replay) : Replay(std::move(replay)), source_(std::move(source)) {}
  void start(const View& view) {
    const std::vector<Attempt> plan = source_.plan(view.instance());
    if constexpr (std::is_same_v<Replay, AdaptiveReplay>) {
      Replay::start(view, plan, source_.lead(plan));
    } else {
      Replay::start(view, plan);
    }
  }

 private:
  PlanSource source_;
};

PlanSource chosen_source(const Setup& setup) {
  const Options& options = setup.options;
  PlanSource source;
  source.computed = options.text("plan") == "heft";
  source.inflation = static_cast<std::uint32_t>(options.integer("inflate"));
  if (options.has("force")) source.hints = parse_hints(options.owner(), options.text("force"));
  if (source.computed && options.has("file")) {
    throw InputError(options.owner() + " has both file=" + options.text("file") +
                     " and plan=heft; expected one of them");
  }
  if (!source.computed && source.inflation > 0) {
    throw InputError(options.owner() + ": inflate is for plans that are computed here (plan=heft); a given one was " +
                     "computed before");
  }
  if (source.computed) return source;
  for (const Attempt& attempt : setup.plan->attempts) {
    if (attempt.outcome == Outcome::completed) source.given.push_back(attempt);
  }
  const Time first = PlanSource::first_start(source.given);
  Time begin = first;
  for (const Transfer& transfer : setup.plan->transfers) begin = std::min(begin, transfer.start);
  source.given_lead = first - begin;
  return source;
}

Policy make_static(const Setup& setup) {
  const Options& options = setup.options;
  PlanSource source = chosen_source(setup);
  AdaptiveReplay::Rules rules;
  rules.mapping_only = options.text("replay") == "mapping";
  rules.stolen_types = static_cast<std::uint32_t>(options.choice("correction"));
  rules.groups_steal = options.flag("steal");
  rules.only_when_late = options.text("when") == "late";
  rules.merged_accelerators = options.flag("merge");
  rules.hints = source.hints;
  rules.priority = chosen_priority(options);
  const bool departs = rules.mapping_only || rules.stolen_types > 0 || rules.groups_steal ||
                       rules.merged_accelerators || !rules.hints.empty();
  if (!departs) return Static(std::move(source), FollowPlan());
  return Static(std::move(source), AdaptiveReplay(std::move(rules)));
}

}  // namespace

// `static` is a keyword: the build calls this function by the file's name.
Entry static_() {
  return {
      .name = "static",
      .summary = "Follows a plan of where and in which order tasks run, with optional departures that save idle time",
      .publication = "Kumar 2017, sections 2.4.3 (hints), 3.5, 3.5.1 (corrections), 3.9 and 4.4.4 (the others)",
      .complexity = "O(n (w + log n) + e), plus the time of heft with plan=heft",
      .options = {text("file", "", "the schedule to follow, a heddle-schedule file"),
                  choice("plan", "file", {"file", "heft"}, "the plan: from option file, or computed by HEFT"),
                  integer("inflate", "0", 0, 1000,
                          "percentage by which all classes but the last are slower when the plan is computed"),
                  choice("replay", "order", {"order", "mapping"},
                         "part of the plan to keep: the tasks of each worker in their order (order), or only the class "
                         "of each task (mapping)"),
                  choice("correction", "none", {"none", "g", "gs"},
                         "an idle worker of the last class takes the most urgent ready task that waits for another "
                         "worker, of the type that the class accelerates most (g) or of the first two such types (gs)"),
                  flag("steal", false,
                       "an idle worker of another class than the last, for which no task is ready, takes a ready task "
                       "of another such worker"),
                  choice("when", "always", {"always", "late"},
                         "when corrections and stealing may depart from the plan: always, or only after a task has "
                         "ended later than planned (late), so that exact durations reproduce the plan"),
                  flag("merge", false, "tasks of the last class go to the worker of this class that ends them first"),
                  text("force", "",
                       "hints that override the plan, joined by +: TYPE@CLASS, or TYPE:TILES@CLASS for tasks at least "
                       "TILES tiles from the diagonal, such as GEMM@gpu+TRSM:6@cpu"),
                  priority_option()},
      .needs =
          [](const Options& options) {
            return Needs{.whole_graph = true,
                         .two_classes = options.text("correction") != "none",
                         .plan = options.text("plan") == "file"};
          },
      .make = make_static};
}

}  // namespace heddle::policy
