#include "heddle/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/judge.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/model/settings.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/report/format.hpp"
#include "heddle/search/prove.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDefaultSeconds = 10;

/// When to stop, as the options say.
struct Limits {
  Countdown time;                      ///< all in all
  Countdown search_time;               ///< until the search has to be done
  std::optional<std::uint64_t> count;  ///< of moves, and of nodes
  double gap = 0;
};

double parse_gap(const std::string& text) {
  const auto gap = text.empty() ? 0.0 : parse_number(text);
  if (!gap || !(*gap >= 0)) throw InputError("--gap is '" + text + "'; expected a number such as 0.01, for 1 %");
  return *gap;
}

/// With a proof to come, the search gets what makes a good start for it, and the proof the rest.
Limits limits_of(const SearchOptions& options) {
  constexpr double kPartBeforeProof = 0.1;
  constexpr double kSecondsBeforeProof = 2;
  Limits limits;
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

/// A search takes seconds, so that by default it affords the window bound of larger instances than others do.
std::vector<bounds::Kind> kinds_for_search(const std::string& text, std::size_t task_count) {
  constexpr std::size_t kMostForWindow = 6000;
  return parse_kinds(text == "default" && task_count <= kMostForWindow ? "all" : text, task_count);
}

/// The bounds take a fifth of the search's time at the most.
std::optional<double> time_for_bounds(const Limits& limits) {
  constexpr double kPart = 0.2;
  const std::optional<double> left = limits.search_time.left();
  return left ? std::optional(*left * kPart) : std::nullopt;
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

/// A schedule to start from.
struct Start {
  std::string from;  ///< the policy, or the file
  Schedule schedule;
};

/// Nothing when the user asked to stop before its end.
std::optional<Schedule> simulate_start(const Instance& instance, const policy::Spec& spec, std::uint64_t seed) {
  Schedule plan;
  try {
    plan = load_plan(spec, instance);
  } catch (const Interrupted&) {
    return std::nullopt;
  }
  sim::Config config;
  config.seed = seed;
  sim::Simulation simulation(instance, spec.make(seed, &plan), config);
  while (!simulation.finished()) {
    if (is_interrupted()) return std::nullopt;
    simulation.step();
  }
  return sim::make_schedule(simulation, spec, config);
}

/// Those that were ready when the user asked to stop.
std::vector<Start> simulate_starts(const Instance& instance, const SearchOptions& options) {
  std::vector<policy::Spec> specs;
  for (const std::string& policy : split_policies(options.policies)) {
    policy::Spec spec = load_policy(policy);
    if (lacks_plan(spec) && options.policies == "all") continue;
    if (spec.objection(instance).empty()) specs.push_back(std::move(spec));
  }
  std::vector<std::optional<Schedule>> schedules(specs.size());
  Progress progress("starts", specs.size());
  parallel_for(
      specs.size(), options.threads > 0 ? options.threads : core_count(),
      [&](std::size_t i) {
        if (!is_interrupted()) schedules[i] = simulate_start(instance, specs[i], options.seed);
      },
      [&](std::size_t done) { progress.update(done); });
  std::vector<Start> starts;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (schedules[i]) starts.push_back({specs[i].text(), std::move(*schedules[i])});
  }
  return starts;
}

std::optional<Start> given_start(const Instance& instance, const std::string& path) {
  if (path.empty()) return std::nullopt;
  const InputFile file = read_input(path, io::Format::heddle_schedule);
  Schedule given = io::read_schedule(file.content, file.path, instance).schedule;
  const auto violations = heddle::validate(instance, given);
  if (!violations.empty()) throw InputError(file.path + ": not a valid schedule: " + violations.front());
  return Start{file.path, std::move(given)};
}

std::vector<Start> find_starts(const Instance& instance, const SearchOptions& options) {
  std::optional<Start> given = given_start(instance, options.start);
  std::vector<Start> starts = simulate_starts(instance, options);
  if (given) starts.push_back(std::move(*given));
  if (starts.empty() && is_interrupted()) throw Interrupted();
  if (starts.empty()) throw InputError("no policy of --policies can take " + instance.name);
  return starts;
}

/// What was found, and how.
struct Found {
  Schedule schedule;
  Start start;             ///< the shortest of those that it began with
  std::size_t starts = 0;  ///< how many there were
  Time lower_bound = 0;    ///< 0 where none was computed, too
  std::uint64_t moves = 0;
  std::uint64_t nodes = 0;
  double seconds = 0;

  [[nodiscard]] bool optimal() const { return schedule.makespan() <= lower_bound; }
  /// Nothing where no bound says how far it may be.
  [[nodiscard]] std::optional<double> gap() const {
    if (lower_bound > 0) return gap_over(lower_bound, schedule.makespan());
    return optimal() ? std::optional(0.0) : std::nullopt;
  }
};

class SearchRun {
 public:
  SearchRun(const Instance& instance, const SearchOptions& options, const Limits& limits, Time bound)
      : instance_(instance), options_(options), limits_(limits) {
    found_.lower_bound = bound;
  }

  Found run(std::vector<Start> starts) {
    improve(std::move(starts));
    if (!instance_.platform.links().empty()) replay();
    if (options_.prove && !is_interrupted() && found_.schedule.makespan() > enough(found_.lower_bound)) prove();
    found_.schedule.instance = instance_.name;
    found_.schedule.policy = "search";
    found_.schedule.seed = options_.seed;
    found_.seconds = limits_.time.elapsed();
    return std::move(found_);
  }

 private:
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

  void improve(std::vector<Start> starts) {
    std::vector<Schedule> schedules;
    for (const Start& start : starts) schedules.push_back(start.schedule);
    Progress bar("search", 1);
    search::Options options{.moves = limits_.count,
                            .seconds = limits_.search_time.left(),
                            .enough = enough(found_.lower_bound),
                            .seed = options_.seed,
                            .threads = options_.threads > 0 ? options_.threads : core_count()};
    options.progress = [&](const search::Progress& progress) {
      bar.show(progress.done, describe(progress.makespan, found_.lower_bound));
      return !is_interrupted();
    };
    search::Result result = search::improve(instance_, schedules, options);
    found_.schedule = std::move(result.schedule);
    found_.moves = result.moves;
    found_.starts = starts.size();
    const auto makespan = [](const Start& start) { return start.schedule.makespan(); };
    found_.start = std::move(*std::ranges::min_element(starts, {}, makespan));
  }

  /// With data on its way, the plan takes longer than it seemed to; it may even lose against the best start.
  void replay() {
    const Schedule plan = std::move(found_.schedule);
    found_.schedule = found_.start.schedule;
    for (const char* policy : {"static", "static:correction=g", "static:correction=gs"}) {
      const policy::Spec spec(policy);
      if (!spec.objection(instance_).empty()) continue;
      Schedule replayed = sim::simulate(instance_, spec, {}, &plan);
      if (replayed.makespan() < found_.schedule.makespan()) found_.schedule = std::move(replayed);
    }
  }

  void prove() {
    Progress bar("proof", 1);
    search::ProveOptions options;
    options.seconds = limits_.time.left();
    options.nodes = limits_.count;
    options.progress = [&](const search::ProveProgress& progress) {
      bar.show(limits_.time.part(), describe(progress.makespan, progress.lower_bound));
      const bool close = limits_.gap > 0 && progress.makespan <= enough(progress.lower_bound);
      return !is_interrupted() && !close;
    };
    search::Proof proof = search::prove(instance_, std::move(found_.schedule), found_.lower_bound, options);
    found_.schedule = std::move(proof.schedule);
    found_.lower_bound = proof.lower_bound;
    found_.nodes = proof.nodes;
  }

  const Instance& instance_;
  const SearchOptions& options_;
  const Limits& limits_;
  Found found_;
};

void print(const Judged& judged, const Found& found) {
  print_judged(judged);
  const Time before = found.start.schedule.makespan();
  const Time after = found.schedule.makespan();
  const report::TimeFormat time(after);
  fmt::print("\n{} shorter than the best of {} that it started from, {} ({}); {} moves tried",
             report::format_percent(before > 0 ? 1 - to_seconds(after) / to_seconds(before) : 0),
             report::format_count(found.starts, "schedule"), found.start.from, time(before),
             report::format_count(static_cast<std::int64_t>(found.moves)));
  if (found.nodes > 0) fmt::print(", {} nodes searched", report::format_count(static_cast<std::int64_t>(found.nodes)));
  if (found.optimal()) {
    fmt::print("\noptimal: no schedule is shorter\n");
  } else if (found.lower_bound > 0) {
    fmt::print("\nat most {} longer than the best there is (no schedule is shorter than {})\n",
               report::format_percent(gap_over(found.lower_bound, after)), time(found.lower_bound));
  } else {
    fmt::print("\n");
  }
}

Json json_found(const Judged& judged, const Found& found) {
  Json document = json_judged(judged);
  document["start"] = found.start.from;
  document["start_makespan"] = json_seconds(found.start.schedule.makespan());
  document["moves"] = found.moves;
  document["nodes"] = found.nodes;
  const std::optional<double> gap = found.gap();
  document["lower_bound"] = gap ? json_seconds(found.lower_bound) : Json();
  document["gap"] = gap ? Json(*gap) : Json();
  document["optimal"] = found.optimal();
  return document;
}

}  // namespace

int search(const SearchOptions& options) {
  check_outputs({{"--output", options.output}, {"--gantt", options.gantt}}, options.json);
  const report::Origin origin = page_origin(options.gantt, options.command_line);
  const Limits limits = limits_of(options);
  const Loaded loaded = load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  if (options.prove) check_provable(instance);
  keep_result();
  const bounds::Bounds bounds =
      compute_bounds(instance, kinds_for_search(options.bound, instance.graph.task_count()), time_for_bounds(limits));
  SearchRun run(instance, options, limits, bounds.best());
  const Found found = run.run(find_starts(instance, options));
  Judged judged = judge(instance, found.schedule, bounds);
  judged.report.platform = loaded.platform;
  judged.report.run = 1;
  judged.wall_seconds = found.seconds;
  {
    const WaitForReader waiting;
    if (options.json) {
      print_json(json_found(judged, found));
    } else {
      print(judged, found);
    }
    std::fflush(stdout);
  }
  write_files(judged, options.output, options.gantt, origin);
  return 0;
}

}  // namespace heddle::cli
