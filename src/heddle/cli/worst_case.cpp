#include "heddle/cli/worst_case.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "heddle/cli/comparison.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/policy_runs.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {

AdversaryAnswer find_adversary(const AdversaryOptions& options, const std::function<bool()>& stop) {
  const policy::Spec policy = input::load_policy(options.policy);
  std::optional<policy::Spec> against;
  if (options.against != "bound") against = input::load_policy(options.against);
  files::LoadedMachine machine = input::load_machine(options.platform);
  Progress bar("instances", options.iterations);
  adversary::WorstCase found = adversary::find_worst_case(
      Platform(std::move(machine.machine.classes)), policy, against,
      {.tasks = options.tasks,
       .evaluations = options.iterations,
       .seed = options.seed,
       .threads = options.threads > 0 ? options.threads : core_count(),
       .stop = stop,
       .progress = [&bar](const adversary::Progress& progress) {
         bar.show(progress.done, fmt::format("ratio {}", report::format_ratio(progress.ratio)));
       }});
  CompareOptions compared;
  compared.policies = policy.text() + (against ? "," + against->text() : "");
  compared.seed = options.seed;
  compared.keeps_schedules = true;
  std::vector<files::LoadedInstance> instances;
  instances.push_back({.instance = found.instance, .platform = machine.name});
  // What was found is wanted also where the user has asked to stop.
  judge::Comparison comparison = compare_policies(std::move(instances), compared, [] { return false; });
  return {policy.text(), against ? std::optional(against->text()) : std::nullopt, std::move(found),
          std::move(comparison)};
}

std::string adversary_text(const AdversaryAnswer& answer, const report::TextStyle& style) {
  const adversary::WorstCase& found = answer.found;
  return comparison_text(answer.comparison, style) +
         fmt::format("{} takes {} times as long as {}; {} instances tried\n", report::harmless(answer.policy),
                     report::format_ratio(found.ratio()), report::harmless(answer.against.value_or("the bound")),
                     report::format_count(static_cast<std::int64_t>(found.evaluations)));
}

nlohmann::ordered_json json_adversary(const AdversaryAnswer& answer) {
  const adversary::WorstCase& found = answer.found;
  nlohmann::ordered_json record = json_record(found.instance.name, answer.loaded().platform);
  record.update({{"policy", answer.policy},
                 {"against", answer.against.value_or("bound")},
                 {"tasks", found.instance.graph.task_count()},
                 {"makespan", json_seconds(found.makespan)},
                 {"rival", json_seconds(found.rival)},
                 {"ratio", found.ratio()},
                 {"instances_tried", found.evaluations},
                 {"runs", json_comparison(answer.comparison)}});
  return record;
}

}  // namespace heddle::cli
