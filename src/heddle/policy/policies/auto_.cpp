#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/policy/kit/learning/adaptive_choice.hpp"
#include "heddle/policy/kit/learning/contest.hpp"
#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/policy_table.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/policy/search_starts.hpp"
#include "heddle/search/search.hpp"

namespace heddle::policy {
namespace {

/// A policy that may win, and what its plan costs in events per task.
struct Contender {
  const char* spec;
  std::uint32_t planning = 0;
  /// Whether it simulates something for each task: about n^2 / 8 events for n tasks, many of them at one instant.
  bool looks_ahead = false;
  /// Whether it solves a linear program, which mostly takes as long as so many events for each task and each edge.
  std::uint32_t program = 0;
};

/// Each of these is simulated to its end.
constexpr std::array kAlways{Contender{"heteroprio-dep:order=best"}, Contender{"heft", 1},
                             Contender{"heft:rank=avg", 1}, Contender{"peft", 1}};
/// Those that follow are simulated until they cannot win any more; where data moves, first what looks at where it is
/// (kLinkAwareStarts). What won against the former somewhere, those first that won most for their cost. Where
/// accelerators are few, what sorts tasks by how well they suit a class wins more often; else what makes progress.
constexpr std::array kFewAccelerators{Contender{"heteroprio-multi"}, Contender{"heteroprio:correction=pcept"}};
constexpr std::array kManyAccelerators{Contender{"heteroprio:correction=pcept"}, Contender{"heteroprio-multi"}};
constexpr std::array kThen{Contender{"dual-hp:rank=avg", 1},
                           Contender{"heteroprio-multi:score=area", 2},
                           Contender{.spec = "hlp", .program = 2},
                           Contender{"dual-hp", 1},
                           Contender{"static:plan=heft,correction=gs", 1},
                           Contender{"dmdas"},
                           Contender{"cpop", 1},
                           Contender{.spec = "qhlp", .program = 2}};
/// These win, too, and cost many times as much.
constexpr std::array kDear{Contender{.spec = "heftp:correction=let", .looks_ahead = true},
                           Contender{.spec = "heftp:correction=gb", .looks_ahead = true}};

/// Of graphs of up to so many tasks all candidates that do not look ahead are simulated.
constexpr std::size_t kFewTasks = 3000;

/// What looks at where data is.
std::vector<Contender> link_aware() {
  std::vector<Contender> contenders;
  for (const char* spec : kLinkAwareStarts) contenders.push_back({spec});
  return contenders;
}

/// Every other policy that plans and simulates nothing for each task.
std::vector<Contender> others(const std::vector<std::string>& names) {
  std::vector<Contender> contenders;
  for (const std::string& spec : names) contenders.push_back({spec.c_str(), 1});
  return contenders;
}

/// The instance, on the estimates.
class Believed {
 public:
  explicit Believed(const Instance& instance) : instance_(instance) {
    if (!instance.costs.estimates_differ()) return;
    copy_ = instance;
    copy_->costs = instance.costs.as_estimated();
  }
  [[nodiscard]] const Instance& operator*() const { return copy_ ? *copy_ : instance_; }

 private:
  const Instance& instance_;
  std::optional<Instance> copy_;
};

/// How long the graph takes at least, in whole numbers alone: what depends on it is the same on every machine.
Time shortest_run(const Instance& instance) {
  Time work = 0;
  for (const TaskId task : instance.graph.tasks()) {
    work += std::ranges::min(instance.costs.actual_row(task));
  }
  const Time shared = work / static_cast<Time>(instance.platform.worker_count());
  return std::max(shared, critical_path(instance).length);
}

/// A lower bound on the makespan.
Time quick_bound(const Instance& instance) {
  constexpr std::array kQuick{bounds::Kind::critical_path, bounds::Kind::area};
  return bounds::compute(instance, kQuick).best();
}

std::string seconds(Time time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g s", to_seconds(time));
  return text.data();
}

/// "heft (0.3821 s); runner-up peft (0.3842 s); 7 of 12 candidates simulated fully; not tried: hlp".
std::string describe(const Contest& contest, Time bound) {
  std::vector<Contest::Entrant> completed;
  for (const Contest::Entrant& entrant : contest.entrants()) {
    if (entrant.fate == Contest::Fate::completed) completed.push_back(entrant);
  }
  std::ranges::stable_sort(completed, {}, &Contest::Entrant::makespan);
  const auto with_makespan = [](const Contest::Entrant& one) { return one.name + " (" + seconds(one.makespan) + ")"; };
  std::string text = with_makespan(completed.front());
  if (completed.size() > 1) text += "; runner-up " + with_makespan(completed[1]);
  text += "; " + std::to_string(completed.size()) + " of " + std::to_string(contest.entrants().size()) +
          " candidates simulated fully";
  if (completed.front().makespan <= bound) return text;  // no other is better
  const char* before = "; not tried: ";
  for (const Contest::Entrant& entrant : contest.entrants()) {
    if (entrant.fate != Contest::Fate::untried) continue;
    text += before + entrant.name;
    before = ", ";
  }
  return text;
}

/// Chooses the policy with the smallest makespan on the estimates before the run starts, and lets it decide.
class Auto {
 public:
  struct Settings {
    std::optional<std::uint64_t> events{};
    std::optional<double> seconds{};
    bool aborts = true;
    std::uint64_t seed = 0;
  };

  explicit Auto(const Settings& settings) : settings_(settings) {}

  void start(const View& view) {
    choose(view);
    chosen_->start(view);
  }
  void ready(const View& view, std::span<const TaskId> tasks) { chosen_->ready(view, tasks); }
  void started(const View& view, TaskId task, WorkerId worker) { chosen_->started(view, task, worker); }
  void finished(const View& view, std::span<const Completion> completions) { chosen_->finished(view, completions); }
  void aborted(const View& view, TaskId task, WorkerId worker) { chosen_->aborted(view, task, worker); }
  void refused(const View& view, Action action) { chosen_->refused(view, action); }
  void workers_changed(const View& view) { chosen_->workers_changed(view); }
  [[nodiscard]] Action next(const View& view) { return chosen_->next(view); }
  [[nodiscard]] bool keeps_order() const { return chosen_->keeps_order(); }
  [[nodiscard]] bool polls() const { return chosen_->polls(); }
  [[nodiscard]] std::string note() const { return note_; }

 private:
  /// What a user allows for, or: of few tasks, about 50 ms or, if that is longer, 2 % of what the graph takes at least,
  /// but no more than a second; of more tasks, 50 ms or, if that is longer, four times what the slowest candidate
  /// takes.
  [[nodiscard]] Contest::Budget budget(const View& view, const Instance& believed) const {
    constexpr std::uint64_t kTimesSlowest = 4;
    // The bound is one on whole tasks, and candidates are compared by what is left.
    Contest::Budget budget{.seconds = settings_.seconds, .bound = nothing_runs(view) ? quick_bound(believed) : 0};
    if (settings_.events) {
      budget.events = *settings_.events;
    } else {
      const Time part = tries_all(view) ? std::min(shortest_run(believed) / 50, kSecond) : 0;
      budget.events = static_cast<std::uint64_t>(std::max(50 * kMillisecond, part) / event_time(view));
      if (!tries_all(view)) budget.times_slowest = kTimesSlowest;
    }
    return budget;
  }
  [[nodiscard]] bool tries_all(const View& view) const {
    return view.graph().task_count() <= kFewTasks && !settings_.events && !settings_.seconds;
  }
  /// About how long an event takes.
  [[nodiscard]] static Time event_time(const View& view) {
    return view.moves_data() ? 2 * kMicrosecond : 2 * kMicrosecond / 5;
  }
  /// A move of the search takes about 1 us and 4 ns for each task of the graph.
  [[nodiscard]] static std::uint64_t events_per_move(const View& view) {
    const Time move = kMicrosecond + static_cast<Time>(view.graph().task_count()) * kMicrosecond / 250;
    return static_cast<std::uint64_t>(move / event_time(view)) + 1;
  }

  void choose(const View& view) {
    const Believed believed(view.instance());
    const Contest::Budget budget = this->budget(view, *believed);
    Contest contest(view, budget);
    for (const Contender& contender : kAlways) {
      if (const auto candidate = fitting(view, contender)) contest.complete(*candidate);
    }
    try_others(contest, view);
    if (contest.best() && !contest.over()) search(contest, view, *believed, budget.bound);
    chosen_ = contest.best();
    if (chosen_) {
      note_ = describe(contest, budget.bound);
    } else {
      chosen_ = Spec("heft").make(settings_.seed);  // whose start tells what is wrong
    }
  }

  void try_others(Contest& contest, const View& view) const {
    const Platform& platform = view.platform();
    const std::size_t accelerators = platform.worker_count(make_id<ClassId>(platform.class_count() - 1));
    if (view.moves_data()) try_each(contest, view, link_aware());
    try_each(contest, view, platform.worker_count() > 5 * accelerators ? kFewAccelerators : kManyAccelerators);
    try_each(contest, view, kThen);
    try_each(contest, view, others(search_starts(view.moves_data())));
    // Where data moves, the search, which comes next, knows less.
    for (const Contender& contender : kDear) {
      if (const auto candidate = fitting(view, contender)) contest.attempt(*candidate, view.moves_data() ? 1 : 10);
    }
  }

  void try_each(Contest& contest, const View& view, std::span<const Contender> candidates) const {
    for (const Contender& contender : candidates) {
      const auto candidate = fitting(view, contender);
      if (!candidate || contest.entered(candidate->name)) continue;
      if (tries_all(view)) {
        contest.consider(*candidate);
      } else {
        contest.attempt(*candidate);
      }
    }
  }

  /// With what is left of the budget the best schedules so far are improved. The outcome is replayed to the letter;
  /// from the moment on when a task ends later than it should, idle accelerators take what waits for others.
  void search(Contest& contest, const View& view, const Instance& believed, Time bound) const {
    std::vector<Schedule> starts;
    for (const Contest::Entrant& entrant : contest.entrants()) {
      if (entrant.fate == Contest::Fate::completed) starts.push_back(entrant.schedule);
    }
    std::ranges::stable_sort(starts, {}, &Schedule::makespan);  // so few moves do not leave their start far behind
    const search::Options options{.moves = affordable_moves(contest, view),
                                  .seconds = contest.seconds_left(),
                                  .enough = bound,
                                  .seed = settings_.seed};
    if (options.moves == 0) return;
    const search::Result found = search::improve(believed, starts, options);
    const bool two_classes = believed.platform.class_count() == 2;
    const Spec replay(two_classes ? "static:correction=gs,when=late" : "static");
    contest.complete({"search", replay.make(settings_.seed, &found.schedule), found.moves * events_per_move(view)});
  }

  /// The outcome has to be simulated, too, and small graphs are soon searched.
  [[nodiscard]] std::uint64_t affordable_moves(const Contest& contest, const View& view) const {
    const std::uint64_t tasks = view.graph().task_count();
    const std::uint64_t events = contest.events_left();
    const std::uint64_t enough = tasks * tasks;
    return settings_.seconds ? enough
                             : std::min(enough, (events - std::min(events, 2 * tasks)) / events_per_move(view));
  }

  /// Nothing when the policy cannot take the instance.
  [[nodiscard]] std::optional<Contest::Candidate> fitting(const View& view, const Contender& contender) const {
    const Spec spec(contender.spec);
    if (!spec.objection(view.instance(), {.abort = settings_.aborts}).empty()) return std::nullopt;
    const std::uint64_t tasks = view.graph().task_count();
    const std::uint64_t edges = view.graph().edge_count();
    return Contest::Candidate{.name = contender.spec,
                              .policy = spec.make(settings_.seed),
                              .planning = contender.planning * tasks + contender.program * (tasks + edges),
                              .foreseen = contender.looks_ahead ? tasks * tasks / 8 : 0};
  }

  Settings settings_;
  std::optional<Policy> chosen_;  ///< nothing before the start
  std::string note_;
};

}  // namespace

// `auto` is a keyword: the build calls this function by the file's name.
Entry auto_() {
  constexpr std::uint64_t kMostEvents = 1'000'000'000'000;
  constexpr double kDay = 86'400;
  return {
      .name = "auto",
      .summary = "Simulates many policies and follows the one with the smallest makespan on the estimates",
      .publication = "this project",
      .complexity =
          "up to 3,000 tasks a simulation of every policy that does not look ahead, of more tasks at least seven; then "
          "further ones, and a search that improves the best schedules, until the budget is spent",
      .options = {choice("graph", "whole", {"whole", "arriving"},
                         "whole: the whole graph is known before the run starts; arriving: tasks arrive during the "
                         "run. With arriving, auto simulates the tasks that are or were ready, chooses again whenever "
                         "the number of completed tasks has doubled, and ignores the other options"),
                  integer(
                      "events", "", 0, kMostEvents,
                      "budget in events: attempts that end in simulations (plans and moves of the search count as "
                      "the attempts that take as long). Without it, auto simulates up to 3,000 tasks under every "
                      "policy that does not look ahead, then spends about 50 ms or, if that is longer, 2 % of a lower "
                      "bound on the makespan, but at most 1 s; of more tasks it spends about 50 ms or, if that is "
                      "longer, four times what its slowest candidate takes"),
                  number("time", "", 0, kDay,
                         "budget in seconds of wall-clock time instead of events; the choice is then not reproducible"),
                  flag("abort", true, "whether auto considers policies that abort running tasks")},
      .needs =
          [](const Options& options) {
            const bool whole = options.text("graph") == "whole";
            return Needs{.whole_graph = whole, .abort = whole && options.flag("abort"), .lookahead = true};
          },
      .make =
          [](const Setup& setup) {
            const Options& options = setup.options;
            if (options.text("graph") == "arriving") return Policy(AdaptiveChoice(setup.seed));
            Auto::Settings settings{.aborts = options.flag("abort"), .seed = setup.seed};
            if (options.has("events")) settings.events = options.integer("events");
            if (options.has("time")) settings.seconds = options.number("time");
            return Policy(Auto(settings));
          }};
}

}  // namespace heddle::policy
