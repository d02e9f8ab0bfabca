#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/policy_runs.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/model/error.hpp"

namespace heddle::cli {

judge::Judged run_policy(const files::LoadedInstance& loaded, const ScheduleOptions& options,
                         const std::function<bool()>& stop, const bounds::Bounds* known) {
  const Instance& instance = loaded.instance;
  const sim::Config config{.noise = sim::Noise(options.noise),
                           .seed = options.seed,
                           .ahead = options.ahead,
                           .aborts = parse_aborts(options.aborts)};
  const bool has_contexts = !options.policy_given && !instance.contexts.empty();
  if (!options.resize.empty()) check_resize(options.resize, loaded);
  const policy::Spec spec = has_contexts ? contexts_policy(options.resize) : input::load_policy(options.policy);
  const auto kinds = bounds::parse_kinds(options.bound, instance);
  const Schedule plan = input::load_plan(spec, instance);
  const std::string objection = spec.objection(instance);
  const bool computes = known == nullptr && objection.empty();
  const bounds::Bounds computed = computes ? compute_bounds(instance, kinds, {}, stop) : bounds::Bounds();
  Progress progress(spec.text() + " on " + instance.name, instance.graph.task_count());
  judge::Judged judged = judge::run(
      instance, spec, known != nullptr ? *known : computed,
      {.config = config, .plan = &plan, .facts = output_path(options.facts), .watch = [&](std::size_t completed) {
         progress.update(completed);
         if (stop()) throw Interrupted();
       }});
  judged.report.platform = loaded.platform;
  judged.report.run = 1;
  return judged;
}

int schedule(const ScheduleOptions& options) {
  check_outputs({{"--output", options.output}, {"--gantt", options.gantt}, {"--facts", options.facts}}, options.json);
  const report::Origin origin = page_origin(options.gantt, options.command_line);
  if (options.policy_given && !options.input.contexts.empty() && options.policy != "contexts") {
    throw InputError("--policy is '" + options.policy +
                     "', but --contexts says which policies decide; expected one of the two");
  }
  if (options.policy_given && !options.resize.empty()) {
    throw InputError("--policy is '" + options.policy +
                     "', but --resize is for contexts, whose policies decide; expected one of the two");
  }
  static_cast<void>(input::load_policy(options.policy));  // before anything is read
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  const judge::Judged judged = run_policy(loaded, options, is_interrupted);
  if (options.json) {
    print_json(json_judged(judged));
  } else {
    print_text(judged_text(judged, terminal_style()));
  }
  write_files(judged, options.output, options.gantt, origin);
  return 0;
}

}  // namespace heddle::cli
