#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/model/error.hpp"

namespace heddle::cli {

int schedule(const ScheduleOptions& options) {
  check_outputs({{"--output", options.output}, {"--gantt", options.gantt}, {"--facts", options.facts}}, options.json);
  const report::Origin origin = page_origin(options.gantt, options.command_line);
  if (options.policy_given && !options.input.contexts.empty() && options.policy != "contexts") {
    throw InputError("--policy is '" + options.policy +
                     "', but --contexts says which policies decide; expected one of the two");
  }
  const policy::Spec given = input::load_policy(options.policy);
  const sim::Config config{.noise = sim::Noise(options.noise),
                           .seed = options.seed,
                           .ahead = options.ahead,
                           .aborts = parse_aborts(options.aborts)};
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  const bool has_contexts = !options.policy_given && !instance.contexts.empty();
  const policy::Spec spec = has_contexts ? policy::Spec("contexts") : given;
  const auto kinds = bounds::parse_kinds(options.bound, instance);
  const Schedule plan = input::load_plan(spec, instance);
  const std::string objection = spec.objection(instance);
  const bounds::Bounds bounds = objection.empty() ? compute_bounds(instance, kinds) : bounds::Bounds();
  Progress progress(spec.text() + " on " + instance.name, instance.graph.task_count());
  judge::Judged judged = judge::run(
      instance, spec, bounds,
      {.config = config, .plan = &plan, .facts = output_path(options.facts), .watch = [&](std::size_t completed) {
         progress.update(completed);
       }});
  judged.report.platform = loaded.platform;
  judged.report.run = 1;
  if (options.json) {
    print_json(json_judged(judged));
  } else {
    print_judged(judged);
  }
  write_files(judged, options.output, options.gantt, origin);
  return 0;
}

}  // namespace heddle::cli
