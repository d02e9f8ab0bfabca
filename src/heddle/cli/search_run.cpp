#include "heddle/cli/search_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/preparation.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/search_starts.hpp"
#include "heddle/report/format.hpp"
#include "heddle/search/search.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDefaultSeconds = 10;

double parse_gap(const std::string& text) {
  const auto gap = text.empty() ? 0.0 : parse_number(text);
  if (!gap || !(*gap >= 0)) throw InputError("--gap is '" + text + "'; expected a number such as 0.01, for 1 %");
  return *gap;
}

/// By default, a search computes every bound beside its moves; where only moves count, which wait for them, up to a
/// size.
std::vector<bounds::Kind> kinds_for_search(const std::string& text, const Instance& instance, bool timed) {
  constexpr std::size_t kMostForWindow = 6000;
  const bool every = text == "default" && (timed || instance.graph.task_count() <= kMostForWindow);
  return bounds::parse_kinds(every ? "all" : text, instance);
}

/// Before the search, whose result would be lost.
void check_provable(const Instance& instance) {
  if (!instance.platform.links().empty()) {
    throw InputError("--prove knows free transfers only, and the platform of " + instance.name + " has links");
  }
  if (instance.graph.task_count() > search::kMaxProvableTasks) {
    throw InputError(fmt::format("--prove takes at most {} tasks, and {} has {}", search::kMaxProvableTasks,
                                 instance.name, instance.graph.task_count()));
  }
}

/// `bound` is above 0.
double gap_over(Time bound, Time makespan) {
  return to_seconds(makespan) / to_seconds(bound) - 1;
}

/// What to simulate: the policies that the user names, or those that are worth it, if they can take the instance.
std::vector<policy::Spec> specs_of_starts(const Instance& instance, const SearchOptions& options) {
  std::vector<policy::Spec> specs;
  if (options.policies.empty()) {
    for (const std::string& name : policy::search_starts(!instance.platform.links().empty())) specs.emplace_back(name);
  } else {
    specs = input::load_policies(options.policies);
  }
  const bool every = options.policies == "all";
  std::erase_if(specs, [&](const policy::Spec& spec) {
    return (every && files::lacks_plan(spec)) || !spec.objection(instance).empty();
  });
  return specs;
}

std::optional<Start> given_start(const Instance& instance, const std::string& path) {
  if (path.empty()) return std::nullopt;
  files::LoadedSchedule given = input::load_schedule(path, instance);
  const auto violations = heddle::validate(instance, given.schedule);
  if (!violations.empty()) throw InputError(given.path + ": not a valid schedule: " + violations.front());
  return Start{std::move(given.path), std::move(given.schedule)};
}

class SearchRun {
 public:
  SearchRun(const Instance& instance, const SearchOptions& options, const SearchLimits& limits,
            std::function<bool()> stop)
      : instance_(instance), options_(options), limits_(limits), stop_(std::move(stop)) {}

  /// `given`: a start beside those that are prepared.
  Found run(Preparation& preparation, std::optional<Start> given) {
    preparation.wait(time_for_preparation());
    improve(preparation, std::move(given));
    found_.lower_bound = preparation.finish().best();
    if (options_.prove && !stop_() && found_.schedule.makespan() > enough(found_.lower_bound)) prove();
    found_.schedule.instance = instance_.name;
    found_.schedule.policy = "search";
    found_.schedule.seed = options_.seed;
    found_.seconds = limits_.time.elapsed();
    return std::move(found_);
  }

 private:
  /// Where only moves count, all of it.
  [[nodiscard]] std::optional<double> time_for_preparation() const {
    constexpr double kPart = 0.08;
    const std::optional<double> left = limits_.search_time.left();
    return left ? std::optional(*left * kPart) : std::nullopt;
  }
  /// A makespan that is close enough to a bound; 0 without one.
  [[nodiscard]] Time enough(Time bound) const {
    if (bound == 0) return 0;
    const double makespan = static_cast<double>(bound) * (1 + limits_.gap);
    return makespan < static_cast<double>(kMaxTime) ? static_cast<Time>(makespan) : kMaxTime;
  }
  [[nodiscard]] std::string describe(Time makespan, Time bound) const {
    if (bound == 0) return report::format_time(makespan);
    return fmt::format("{}, {} above the bound", report::format_time(makespan),
                       report::format_percent(gap_over(bound, makespan)));
  }

  /// Takes what is ready, and notes the shortest.
  [[nodiscard]] std::vector<Schedule> take_starts(std::vector<Start> starts) {
    std::vector<Schedule> schedules;
    for (Start& start : starts) {
      const Time makespan = start.schedule.makespan();
      if (found_.starts++ == 0 || makespan < found_.start_makespan) {
        found_.start = std::move(start.from);
        found_.start_makespan = makespan;
      }
      schedules.push_back(std::move(start.schedule));
    }
    return schedules;
  }

  void improve(Preparation& preparation, std::optional<Start> given) {
    const std::size_t threads = options_.threads > 0 ? options_.threads : core_count();
    std::vector<Start> starts = preparation.take_starts();
    if (given) starts.push_back(std::move(*given));
    if (starts.empty()) throw Interrupted();
    Progress bar("search", 1);
    search::Options options{.moves = limits_.count,
                            .seconds = limits_.search_time.left(),
                            .enough = enough(preparation.bound()),
                            .seed = options_.seed,
                            .threads = threads};
    options.progress = [&](const search::Progress& progress) {
      const Time bound = preparation.bound();
      bar.show(progress.done, describe(progress.makespan, bound));
      return !stop_() && progress.makespan > enough(bound);
    };
    options.news = [&] {
      const std::size_t busy = preparation.busy();
      return search::News{.starts = take_starts(preparation.take_starts()),
                          .threads = threads > busy ? threads - busy : 1};
    };
    if (!instance_.platform.links().empty()) {
      options.judge = [this](const Schedule& plan) { return carry_out(plan); };
    }
    const Countdown moving;
    found_.before_moves = limits_.time.elapsed();
    search::Result result = search::improve(instance_, take_starts(std::move(starts)), options);
    found_.moving = moving.elapsed();
    found_.schedule = std::move(result.schedule);
    found_.moves = result.moves;
  }

  /// With data on its way, a plan takes longer than it seems to: the best of its executions, with corrections where
  /// they apply.
  [[nodiscard]] Schedule carry_out(const Schedule& plan) const {
    std::optional<Schedule> best;
    for (const char* policy : {"static", "static:correction=g", "static:correction=gs"}) {
      const policy::Spec spec(policy);
      if (!spec.objection(instance_).empty()) continue;
      Schedule executed = sim::simulate(instance_, spec, {}, &plan);
      if (!best || executed.makespan() < best->makespan()) best = std::move(executed);
    }
    return std::move(best).value();
  }

  void prove() {
    Progress bar("proof", 1);
    search::ProveOptions options;
    options.seconds = limits_.time.left();
    options.nodes = limits_.count;
    options.progress = [&](const search::ProveProgress& progress) {
      bar.show(limits_.time.part(), describe(progress.makespan, progress.lower_bound));
      const bool close = limits_.gap > 0 && progress.makespan <= enough(progress.lower_bound);
      return !stop_() && !close;
    };
    search::Proof proof = search::prove(instance_, std::move(found_.schedule), found_.lower_bound, options);
    found_.schedule = std::move(proof.schedule);
    found_.lower_bound = proof.lower_bound;
    found_.nodes = proof.nodes;
  }

  const Instance& instance_;
  const SearchOptions& options_;
  const SearchLimits& limits_;
  std::function<bool()> stop_;
  Found found_;
};

}  // namespace

SearchLimits search_limits(const SearchOptions& options) {
  constexpr double kPartBeforeProof = 0.1;
  constexpr double kSecondsBeforeProof = 2;
  SearchLimits limits;
  limits.gap = parse_gap(options.gap);
  limits.count = options.iterations;
  if (!options.time.empty()) {
    const double seconds = parse_seconds("--time", options.time);
    limits.time = Countdown(seconds);
    limits.search_time = Countdown(seconds * (options.prove ? kPartBeforeProof : 1));
  } else if (!options.iterations) {
    limits.search_time = Countdown(options.prove ? kSecondsBeforeProof : kDefaultSeconds);
  }
  return limits;
}

FoundSchedule find_schedule(const files::LoadedInstance& loaded, const SearchOptions& options,
                            const SearchLimits& limits, std::function<bool()> stop) {
  const Instance& instance = loaded.instance;
  if (options.prove) check_provable(instance);
  const bool timed = limits.search_time.left().has_value();
  std::optional<Start> given = given_start(instance, options.start);
  std::vector<policy::Spec> specs = specs_of_starts(instance, options);
  if (specs.empty() && !given) throw InputError("no policy of --policies can take " + instance.name);
  Preparation preparation(instance, {.starts = std::move(specs),
                                     .bounds = kinds_for_search(options.bound, instance, timed),
                                     .seed = options.seed,
                                     .threads = options.threads > 0 ? options.threads : core_count(),
                                     .stop = stop});
  FoundSchedule result{SearchRun(instance, options, limits, std::move(stop)).run(preparation, std::move(given)), {}};
  result.judged = judge::judge_schedule(instance, result.found.schedule, preparation.finish());
  result.judged.report.platform = loaded.platform;
  result.judged.report.run = 1;
  result.judged.wall_seconds = result.found.seconds;
  return result;
}

std::string search_text(const Found& found, const judge::Judged& judged, const report::TextStyle& style) {
  std::string text = judged_text(judged, style);
  const Time before = found.start_makespan;
  const Time after = found.schedule.makespan();
  const report::TimeFormat time(after);
  text += fmt::format("\n{} shorter than the best of {} that it started from, {} ({}); {} moves tried, {} a second",
                      report::format_percent(before > 0 ? 1 - to_seconds(after) / to_seconds(before) : 0),
                      report::format_count(found.starts, "schedule"), found.start, time(before),
                      report::format_count(static_cast<std::int64_t>(found.moves)),
                      report::format_count(static_cast<std::int64_t>(found.moves_per_second())));
  if (found.nodes > 0)
    text += fmt::format(", {} nodes searched", report::format_count(static_cast<std::int64_t>(found.nodes)));
  if (found.optimal()) {
    text += "\noptimal: no schedule is shorter\n";
  } else if (found.lower_bound > 0) {
    text += fmt::format("\nat most {} longer than the best there is (no schedule is shorter than {})\n",
                        report::format_percent(gap_over(found.lower_bound, after)), time(found.lower_bound));
  } else {
    text += "\n";
  }
  return text;
}

Json json_search(const Found& found, const judge::Judged& judged) {
  Json document = json_judged(judged);
  document["start"] = found.start;
  document["start_makespan"] = json_seconds(found.start_makespan);
  document["moves"] = found.moves;
  document["moves_per_second"] = found.moves_per_second();
  document["seconds_before_moves"] = found.before_moves;
  document["nodes"] = found.nodes;
  const std::optional<double> gap = found.gap();
  document["lower_bound"] = gap ? json_seconds(found.lower_bound) : Json();
  document["gap"] = gap ? Json(*gap) : Json();
  document["optimal"] = found.optimal();
  return document;
}

}  // namespace heddle::cli
