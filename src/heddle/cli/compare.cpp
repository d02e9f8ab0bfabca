#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/comparison.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/report/csv.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

/// Whether "all" is among the policies.
bool names_all(const std::string& policies) {
  return ("," + policies + ",").find(",all,") != std::string::npos;
}

std::vector<files::LoadedInstance> load_on_platforms(const CompareOptions& options) {
  std::vector<files::LoadedInstance> loaded;
  files::InstanceOptions input = options.input;
  const std::vector<std::string> platforms =
      options.platforms.empty() ? std::vector<std::string>{""} : options.platforms;
  for (const std::string& argument : options.instances) {
    for (const std::string& platform : platforms) {
      input.platform = platform;
      loaded.push_back(input::load_instance(argument, input));
    }
  }
  return loaded;
}

/// Whether the policies of contexts are one more to compare: each instance has contexts, and they are not named.
bool compares_contexts(const std::vector<files::LoadedInstance>& instances, const std::vector<policy::Spec>& specs) {
  const auto is_named = [](const policy::Spec& spec) { return spec.entry().name == "contexts"; };
  const auto has_contexts = [](const files::LoadedInstance& one) { return !one.instance.contexts.empty(); };
  return std::ranges::all_of(instances, has_contexts) && std::ranges::none_of(specs, is_named);
}

judge::Comparison compare_all(const CompareOptions& options) {
  judge::CompareOptions how{.bound = options.bound,
                            .config = {.noise = sim::Noise(options.noise),
                                       .seed = options.seed,
                                       .ahead = options.ahead,
                                       .aborts = parse_aborts(options.aborts)},
                            .runs = options.runs,
                            .skips_unfit = names_all(options.policies),
                            .keeps_schedules = !options.html.empty(),
                            .stop = is_interrupted};
  std::vector<policy::Spec> specs = input::load_policies(options.policies);
  std::optional<Progress> bar;  // of the work that is under way
  how.watch = [&bar, shown = std::string()](std::string_view what, std::size_t done, std::size_t total) mutable {
    if (shown != what) {
      bar.reset();
      bar.emplace(std::string(what), total);
      shown = what;
    }
    bar->update(done);
  };
  std::vector<files::LoadedInstance> instances = load_on_platforms(options);
  if (compares_contexts(instances, specs)) specs.emplace_back("contexts");
  std::vector<judge::Candidate> candidates;
  for (policy::Spec& spec : specs) candidates.emplace_back(std::move(spec));
  return judge::compare(std::move(instances), candidates, how);
}

nlohmann::ordered_json to_json(const judge::Comparison& found) {
  auto document = nlohmann::ordered_json::array();
  for (const judge::Judged& judged : found.judged) document.push_back(json_judged(judged));
  for (const judge::Skipped& skipped : found.skipped) {
    nlohmann::ordered_json record = json_record(skipped.loaded->instance.name, skipped.loaded->platform);
    record.update({{"policy", found.policies[skipped.policy]}, {"skipped", skipped.reason}});
    document.push_back(std::move(record));
  }
  return document;
}

/// A line per run: what `--json` says of it, but for the classes.
std::string to_csv(const judge::Comparison& found) {
  std::string text = report::csv_row(std::vector<std::string>{
      "instance", "platform", "policy", "seed", "run", "noise", "tasks", "makespan", "best_kind", "bound", "ratio",
      "aborted_attempts", "transferred_bytes", "write_home_bytes", "wall_seconds", "version"});
  for (const judge::Judged& judged : found.judged) {
    const report::ScheduleReport& report = judged.report;
    const report::BoundLine* bound = judge::best_bound(judged);
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

}  // namespace

int compare(const CompareOptions& options) {
  check_outputs({{"--html", options.html}, {"--csv", options.csv}}, options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  const judge::Comparison found = compare_all(options);
  if (options.json) {
    print_json(to_json(found));
  } else {
    print_comparison(found);
  }
  report_skipped(found);
  if (!options.csv.empty()) write_output(options.csv, to_csv(found));
  if (options.html.empty()) return 0;
  write_output(options.html, judge::page(found, origin));
  if (!options.json && options.html != "-") fmt::print("report: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
