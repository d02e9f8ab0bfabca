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
#include "heddle/cli/policy_runs.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/judge/judge.hpp"

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

}  // namespace

judge::Comparison compare_policies(std::vector<files::LoadedInstance> instances, const CompareOptions& options,
                                   const std::function<bool()>& stop) {
  judge::CompareOptions how{.bound = options.bound,
                            .config = {.noise = sim::Noise(options.noise),
                                       .seed = options.seed,
                                       .ahead = options.ahead,
                                       .aborts = parse_aborts(options.aborts)},
                            .runs = options.runs,
                            .skips_unfit = names_all(options.policies),
                            .keeps_schedules = options.keeps_schedules || !options.html.empty(),
                            .stop = stop};
  std::vector<policy::Spec> specs = input::load_policies(options.policies);
  std::optional<Progress> bar;  // of the work that is under way
  how.watch = [&bar, &stop, shown = std::string()](std::string_view what, std::size_t done, std::size_t total) mutable {
    if (shown != what) {
      bar.reset();
      bar.emplace(std::string(what), total);
      shown = what;
    }
    bar->update(done);
    if (stop()) throw Interrupted();
  };
  for (const files::LoadedInstance& one : instances) {
    if (!options.resize.empty()) check_resize(options.resize, one);
  }
  if (compares_contexts(instances, specs)) specs.emplace_back("contexts");
  if (!options.resize.empty()) specs.push_back(contexts_policy(options.resize));
  std::vector<judge::Candidate> candidates;
  for (policy::Spec& spec : specs) candidates.emplace_back(std::move(spec));
  return judge::compare(std::move(instances), candidates, how);
}

int compare(const CompareOptions& options) {
  check_outputs({{"--html", options.html}, {"--csv", options.csv}}, options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  static_cast<void>(input::load_policies(options.policies));  // before anything is read
  const judge::Comparison found = compare_policies(load_on_platforms(options), options, is_interrupted);
  if (options.json) {
    print_json(json_comparison(found));
  } else {
    print_text(comparison_text(found, terminal_style()));
    if (!shows_instances(found)) print_text("each instance by itself: --csv, --json or --html\n");
  }
  report_skipped(found);
  if (!options.csv.empty()) write_output(options.csv, csv_comparison(found));
  if (options.html.empty()) return 0;
  write_output(options.html, judge::page(found, origin));
  if (!options.json && options.html != "-") fmt::print("report: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
