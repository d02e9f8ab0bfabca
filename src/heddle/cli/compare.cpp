#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/judge.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/report/csv.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/html_page.hpp"

namespace heddle::cli {
namespace {

/// What `compare` found, in order: instance by instance, policy by policy, run by run, whatever ended first.
struct Comparison {
  std::list<Loaded> instances;  ///< a list: reports point to them
  std::vector<Judged> judged;
  std::vector<report::SkippedPolicy> skipped;
};

/// Whether "all" is among the policies.
bool names_all(const std::string& policies) {
  return ("," + policies + ",").find(",all,") != std::string::npos;
}

class Comparer {
 public:
  explicit Comparer(const CompareOptions& options)
      : options_(options), noise_(options.noise), lenient_(names_all(options.policies)) {
    const std::vector<std::string> names = split_policies(options.policies);
    for (const std::string& name : names) specs_.push_back(load_policy(name));
    (void)parse_kinds(options.bound, 0);  // a typo is told before anything runs
  }

  Comparison run() {
    for (const std::string& argument : options_.instances) {
      found_.instances.push_back(load_instance(argument, options_.input));
    }
    compute_bounds();
    for (const Loaded& loaded : found_.instances) {
      for (const policy::Spec& spec : specs_) plan_runs(loaded, spec);
    }
    work();
    collect();
    return std::move(found_);
  }

 private:
  /// Why the policy is left out: the instance does not fit it or, for "all", it wants more than an instance.
  [[nodiscard]] std::string reason_to_skip(const policy::Spec& spec, const Instance& instance) const {
    std::string objection = spec.objection(instance);
    if (!objection.empty()) return objection;
    if (lacks_plan(spec) && lenient_) {
      return "policy '" + spec.entry().name + "' follows a given schedule (" + spec.entry().name +
             ":file=SCHEDULE.json)";
    }
    return "";
  }

  struct Run {
    const Loaded* loaded;
    const policy::Spec* spec;
    std::shared_ptr<const Schedule> plan;
    std::uint32_t number;
    std::optional<Judged> judged{};
    std::string reason{};  ///< why the policy could not take the instance
  };

  void compute_bounds() {
    std::vector<const Loaded*> instances;
    for (const Loaded& loaded : found_.instances) {
      instances.push_back(&loaded);
      bounds_[&loaded];
    }
    const auto compute = [&](std::size_t i) {
      const Instance& instance = instances[i]->instance;
      bounds_.at(instances[i]) =
          bounds::compute(instance, parse_kinds(options_.bound, instance.graph.task_count()), {.stop = is_interrupted});
    };
    Progress progress("bounds", instances.size());
    parallel_for(instances.size(), core_count(), compute, [&](std::size_t done) { progress.update(done); });
  }

  void plan_runs(const Loaded& loaded, const policy::Spec& spec) {
    const std::string reason = reason_to_skip(spec, loaded.instance);
    if (!reason.empty()) {
      if (!lenient_) throw InputError(reason);
      runs_.push_back({.loaded = &loaded, .spec = &spec, .plan = nullptr, .number = 0, .reason = reason});
      return;
    }
    const auto plan = std::make_shared<const Schedule>(load_plan(spec, loaded.instance));
    for (std::uint32_t number = 0; number < options_.runs; ++number) {
      runs_.push_back({.loaded = &loaded, .spec = &spec, .plan = plan, .number = number});
    }
  }

  void work() {
    Progress progress("runs", runs_.size());
    parallel_for(
        runs_.size(), core_count(), [&](std::size_t i) { compute(runs_[i]); },
        [&](std::size_t done) { progress.update(done); });
  }

  void compute(Run& run) const {
    if (!run.reason.empty()) return;
    const sim::Config config{.noise = noise_, .seed = options_.seed + run.number, .ahead = options_.ahead};
    try {
      run.judged = judge(run.loaded->instance, *run.spec, config, *run.plan, bounds_.at(run.loaded), false);
    } catch (const InputError& error) {
      if (!lenient_) throw;
      run.reason = error.what();
      return;
    }
    run.judged->report.platform = run.loaded->platform;
    run.judged->report.run = run.number + 1;
    if (!options_.html.empty()) return;
    run.judged->schedule.reset();
    run.judged->report.schedule = nullptr;
  }

  void collect() {
    for (Run& run : runs_) {
      if (run.judged) {
        found_.judged.push_back(std::move(*run.judged));
      } else if (run.number == 0) {
        fmt::print(stderr, "heddle: skipped: {}\n", report::harmless(run.reason));
        found_.skipped.push_back({run.loaded->instance.name, run.spec->text(), run.reason});
      }
    }
  }

  const CompareOptions& options_;
  sim::Noise noise_;
  std::vector<policy::Spec> specs_;
  bool lenient_;  ///< "all": what does not fit is left out
  Comparison found_;
  std::map<const Loaded*, bounds::Bounds> bounds_;
  std::vector<Run> runs_;
};

/// The runs of one policy on one instance.
using Runs = std::span<const Judged>;

template <class Value>
double mean(Runs runs, Value&& value) {
  double sum = 0;
  for (const Judged& run : runs) sum += value(run);
  return sum / static_cast<double>(runs.size());
}

Time mean_makespan(Runs runs) {
  return static_cast<Time>(mean(runs, [](const Judged& run) { return static_cast<double>(run.report.makespan); }));
}

/// Calls visit(runs) for every policy, in order.
template <class Visit>
void visit_policies(Runs all, Visit&& visit) {
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].report.run != 1) ++end;
    visit(all.subspan(begin, end - begin));
    begin = end;
  }
}

std::vector<report::Column> columns(const Platform& platform, bool several) {
  using report::Align;
  std::vector<report::Column> columns{
      {"policy", Align::left, true}, {"makespan", Align::right}, {"ratio", Align::right}};
  if (several) columns.push_back({"min..max", Align::right});
  columns.push_back({"aborted", Align::right});
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) > 0) columns.push_back({"idle " + platform.class_name(c), Align::right});
  }
  columns.push_back({"decided in", Align::right});
  return columns;
}

std::string ratio_of(const Judged& run) {
  return run.report.ratio ? report::format_ratio(*run.report.ratio) : "-";
}

std::string ratio_range(Runs runs) {
  const auto [least, most] =
      std::ranges::minmax_element(runs, {}, [](const Judged& run) { return run.report.makespan; });
  return ratio_of(*least) + ".." + ratio_of(*most);
}

std::string idle_share(Runs runs, ClassId c) {
  const double share = mean(runs, [&](const Judged& run) {
    const ClassUse& use = run.report.classes[c];
    const double whole = to_seconds(use.busy) + to_seconds(use.idle);
    return whole > 0 ? to_seconds(use.idle) / whole : 0;
  });
  return report::format_percent(share);
}

void add_policy(report::TextTable& table, Runs runs, Time best) {
  const Judged& first = runs.front();
  const Time makespan = mean_makespan(runs);
  const bool judged = first.report.ratio.has_value();
  std::vector<std::string> cells{first.report.policy, report::format_time(makespan)};
  cells.push_back(judged ? report::format_ratio(mean(runs, [](const Judged& run) { return *run.report.ratio; })) : "-");
  if (runs.size() > 1) cells.push_back(ratio_range(runs));
  const double aborted = mean(runs, [](const Judged& run) { return static_cast<double>(run.report.aborted_attempts); });
  cells.push_back(runs.size() > 1 ? fmt::format("{:.1f}", aborted) : fmt::format("{:.0f}", aborted));
  const Platform& platform = first.report.instance->platform;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) > 0) cells.push_back(idle_share(runs, c));
  }
  cells.push_back(fmt::format("{:.3g} ms", 1e3 * mean(runs, [](const Judged& run) { return run.wall_seconds; })));
  table.add_row(std::move(cells), makespan == best ? report::Tone::good : report::Tone::plain);
}

void print_instance(const Loaded& loaded, Runs all) {
  const Instance& instance = loaded.instance;
  fmt::print("{}, {}\n", describe_instance(instance, loaded.platform),
             report::format_count(instance.graph.task_count(), "task"));
  if (all.empty()) return;
  const Judged& first = all.front();
  if (first.best_kind) {
    const auto line =
        std::ranges::find(first.report.bounds, bounds::to_string(*first.best_kind), &report::BoundLine::kind);
    fmt::print("bound {} ({})\n", report::format_time(line->value), line->kind);
  }
  Time best = kMaxTime;
  bool several = false;
  visit_policies(all, [&](Runs runs) {
    best = std::min(best, mean_makespan(runs));
    several = several || runs.size() > 1;
  });
  report::TextTable table(columns(instance.platform, several));
  visit_policies(all, [&](Runs runs) { add_policy(table, runs, best); });
  fmt::print("\n{}\n", table.text(terminal_style()));
  visit_policies(all, [](Runs runs) {
    if (!runs.front().note.empty()) fmt::print("{} takes {}\n\n", runs.front().report.policy, runs.front().note);
  });
}

void print(const Comparison& found) {
  Runs rest = found.judged;
  for (const Loaded& loaded : found.instances) {
    const auto other =
        std::ranges::find_if(rest, [&](const Judged& run) { return run.report.instance != &loaded.instance; });
    const auto count = static_cast<std::size_t>(other - rest.begin());
    print_instance(loaded, rest.subspan(0, count));
    rest = rest.subspan(count);
  }
}

nlohmann::ordered_json to_json(const Comparison& found) {
  auto document = nlohmann::ordered_json::array();
  for (const Judged& judged : found.judged) document.push_back(json_judged(judged));
  for (const report::SkippedPolicy& skipped : found.skipped) {
    document.push_back({{"instance", skipped.instance}, {"policy", skipped.policy}, {"skipped", skipped.reason}});
  }
  return document;
}

/// A line per run: what `--json` says of it, but for the classes.
std::string to_csv(const Comparison& found) {
  std::string text = report::csv_row(std::vector<std::string>{
      "instance", "platform", "policy", "seed", "run", "noise", "tasks", "makespan", "best_kind", "bound", "ratio",
      "aborted_attempts", "transferred_bytes", "write_home_bytes", "wall_seconds"});
  for (const Judged& judged : found.judged) {
    const report::ScheduleReport& report = judged.report;
    const std::string kind(judged.best_kind ? bounds::to_string(*judged.best_kind) : "");
    const auto line = std::ranges::find(report.bounds, kind, &report::BoundLine::kind);
    const std::string bound = line == report.bounds.end() ? "" : format_seconds(line->value);
    text += report::csv_row(std::vector<std::string>{
        report.instance->name, report.platform, report.policy, std::to_string(report.seed), std::to_string(report.run),
        report.noise, std::to_string(report.instance->graph.task_count()), format_seconds(report.makespan), kind, bound,
        report.ratio ? fmt::format("{}", *report.ratio) : "", std::to_string(report.aborted_attempts),
        std::to_string(report.transferred_bytes), std::to_string(report.write_home_bytes),
        fmt::format("{}", judged.wall_seconds)});
  }
  return text;
}

std::string to_html(const Comparison& found, const report::Origin& origin) {
  std::vector<report::ScheduleReport> reports;
  for (const Judged& judged : found.judged) reports.push_back(judged.report);
  const std::string title = found.instances.size() == 1 ? found.instances.front().instance.name
                                                        : fmt::format("{} instances", found.instances.size());
  return report::html_page(title, reports, {.skipped = found.skipped, .origin = origin});
}

}  // namespace

int compare(const CompareOptions& options) {
  check_outputs({{"--html", options.html}, {"--csv", options.csv}}, options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  const Comparison found = Comparer(options).run();
  if (options.json) {
    print_json(to_json(found));
  } else {
    print(found);
  }
  if (!options.csv.empty()) write_output(options.csv, to_csv(found));
  if (options.html.empty()) return 0;
  write_output(options.html, to_html(found, origin));
  if (!options.json && options.html != "-") fmt::print("report: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
