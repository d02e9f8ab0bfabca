#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/comparison.hpp"
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

/// Whether "all" is among the policies.
bool names_all(const std::string& policies) {
  return ("," + policies + ",").find(",all,") != std::string::npos;
}

class Comparer {
 public:
  explicit Comparer(const CompareOptions& options)
      : options_(options), noise_(options.noise), lenient_(names_all(options.policies)) {
    const std::vector<std::string> names = split_policies(options.policies);
    for (const std::string& name : names) {
      specs_.push_back(load_policy(name));
      found_.policies.push_back(specs_.back().text());
    }
    (void)parse_kinds(options.bound, Instance());  // a typo is told before anything runs
  }

  Comparison run() {
    for (const std::string& argument : options_.instances) load_on_platforms(argument);
    compute_bounds();
    for (Compared& instance : found_.instances) {
      instance.rows.resize(specs_.size());
      for (std::size_t policy = 0; policy < specs_.size(); ++policy) plan_runs(instance, policy);
    }
    work();
    collect();
    return std::move(found_);
  }

 private:
  void load_on_platforms(const std::string& argument) {
    InputOptions input = options_.input;
    const bool is_bare = options_.platforms.empty();
    for (const std::string& platform : is_bare ? std::vector<std::string>{""} : options_.platforms) {
      input.platform = platform;
      found_.instances.push_back({load_instance(argument, input)});
    }
  }

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
    Compared* instance;
    std::size_t policy;
    std::shared_ptr<const Schedule> plan;
    std::uint32_t number;
    std::optional<Judged> judged{};
    std::string reason{};  ///< why the policy could not take the instance
  };

  void compute_bounds() {
    std::vector<const Compared*> instances;
    for (const Compared& instance : found_.instances) {
      instances.push_back(&instance);
      bounds_[&instance];
    }
    const auto compute = [&](std::size_t i) {
      const Instance& instance = instances[i]->loaded.instance;
      bounds_.at(instances[i]) =
          bounds::compute(instance, parse_kinds(options_.bound, instance), {.stop = is_interrupted});
    };
    Progress progress("bounds", instances.size());
    parallel_for(instances.size(), core_count(), compute, [&](std::size_t done) { progress.update(done); });
  }

  void plan_runs(Compared& instance, std::size_t policy) {
    const policy::Spec& spec = specs_[policy];
    const std::string reason = reason_to_skip(spec, instance.loaded.instance);
    if (!reason.empty()) {
      if (!lenient_) throw InputError(reason);
      runs_.push_back({.instance = &instance, .policy = policy, .plan = nullptr, .number = 0, .reason = reason});
      return;
    }
    const auto plan = std::make_shared<const Schedule>(load_plan(spec, instance.loaded.instance));
    for (std::uint32_t number = 0; number < options_.runs; ++number) {
      runs_.push_back({.instance = &instance, .policy = policy, .plan = plan, .number = number});
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
    const sim::Config config{.noise = noise_,
                             .seed = options_.seed + run.number,
                             .ahead = options_.ahead,
                             .aborts = parse_aborts(options_.aborts)};
    try {
      run.judged =
          judge(run.instance->loaded.instance, specs_[run.policy], config, *run.plan, bounds_.at(run.instance), false);
    } catch (const InputError& error) {
      if (!lenient_) throw;
      run.reason = error.what();
      return;
    }
    run.judged->report.platform = run.instance->loaded.platform;
    run.judged->report.run = run.number + 1;
    if (!options_.html.empty()) return;
    run.judged->schedule.reset();
    run.judged->report.schedule = nullptr;
  }

  void collect() {
    for (Run& run : runs_) {
      if (run.judged) {
        std::optional<Row>& row = run.instance->rows[run.policy];
        if (!row) row = Row{found_.judged.size(), 0};
        ++row->count;
        found_.judged.push_back(std::move(*run.judged));
      } else if (run.number == 0) {
        found_.skipped.push_back({&run.instance->loaded, run.policy, run.reason});
      }
    }
  }

  const CompareOptions& options_;
  sim::Noise noise_;
  std::vector<policy::Spec> specs_;
  bool lenient_;  ///< "all": what does not fit is left out
  Comparison found_;
  std::map<const Compared*, bounds::Bounds> bounds_;
  std::vector<Run> runs_;
};

nlohmann::ordered_json to_json(const Comparison& found) {
  auto document = nlohmann::ordered_json::array();
  for (const Judged& judged : found.judged) document.push_back(json_judged(judged));
  for (const Skipped& skipped : found.skipped) {
    nlohmann::ordered_json record = json_record(skipped.loaded->instance.name, skipped.loaded->platform);
    record.update({{"policy", found.policies[skipped.policy]}, {"skipped", skipped.reason}});
    document.push_back(std::move(record));
  }
  return document;
}

/// A line per run: what `--json` says of it, but for the classes.
std::string to_csv(const Comparison& found) {
  std::string text = report::csv_row(std::vector<std::string>{
      "instance", "platform", "policy", "seed", "run", "noise", "tasks", "makespan", "best_kind", "bound", "ratio",
      "aborted_attempts", "transferred_bytes", "write_home_bytes", "wall_seconds", "version"});
  for (const Judged& judged : found.judged) {
    const report::ScheduleReport& report = judged.report;
    const report::BoundLine* bound = best_bound(judged);
    text += report::csv_row(std::vector<std::string>{
        report.instance->name, report.platform, report.policy, std::to_string(report.seed), std::to_string(report.run),
        report.noise, std::to_string(report.instance->graph.task_count()), format_seconds(report.makespan),
        bound != nullptr ? bound->kind : "", bound != nullptr ? format_seconds(bound->value) : "",
        report.ratio ? fmt::format("{}", *report.ratio) : "", std::to_string(report.aborted_attempts),
        std::to_string(report.transferred_bytes), std::to_string(report.write_home_bytes),
        fmt::format("{}", judged.wall_seconds), HEDDLE_VERSION});
  }
  return text;
}

std::string to_html(const Comparison& found, bool several_platforms, const report::Origin& origin) {
  std::vector<report::ScheduleReport> reports;
  for (const Judged& judged : found.judged) reports.push_back(judged.report);
  std::vector<report::SkippedPolicy> skipped;
  for (const Skipped& entry : found.skipped) {
    std::string instance = entry.loaded->instance.name;
    if (several_platforms) instance += " on " + entry.loaded->platform;
    skipped.push_back({std::move(instance), found.policies[entry.policy], entry.reason});
  }
  const std::string title = found.instances.size() == 1 ? found.instances.front().loaded.instance.name
                                                        : fmt::format("{} instances", found.instances.size());
  return report::html_page(title, reports, {.skipped = std::move(skipped), .origin = origin});
}

}  // namespace

int compare(const CompareOptions& options) {
  check_outputs({{"--html", options.html}, {"--csv", options.csv}}, options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  const Comparison found = Comparer(options).run();
  if (options.json) {
    print_json(to_json(found));
  } else {
    print_comparison(found);
  }
  report_skipped(found);
  if (!options.csv.empty()) write_output(options.csv, to_csv(found));
  if (options.html.empty()) return 0;
  write_output(options.html, to_html(found, options.platforms.size() > 1, origin));
  if (!options.json && options.html != "-") fmt::print("report: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
