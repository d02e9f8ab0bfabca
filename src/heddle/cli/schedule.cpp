#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/judge.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"

namespace heddle::cli {

int schedule(const ScheduleOptions& options) {
  check_outputs({{"--output", options.output}, {"--gantt", options.gantt}, {"--facts", options.facts}}, options.json);
  const report::Origin origin = page_origin(options.gantt, options.command_line);
  const policy::Spec spec = load_policy(options.policy);
  const sim::Config config{.noise = sim::Noise(options.noise),
                           .seed = options.seed,
                           .ahead = options.ahead,
                           .aborts = parse_aborts(options.aborts)};
  const Loaded loaded = load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  const auto kinds = parse_kinds(options.bound, instance);
  const Schedule plan = load_plan(spec, instance);
  const std::string objection = spec.objection(instance);
  const bounds::Bounds bounds = objection.empty() ? compute_bounds(instance, kinds) : bounds::Bounds();
  Judged judged = judge(instance, spec, config, plan, bounds, true, output_path(options.facts));
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
