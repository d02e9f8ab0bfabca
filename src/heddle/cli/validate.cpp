#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

std::vector<std::string> violations_of(const Instance& instance, const Schedule& schedule,
                                       std::optional<Time> stated_makespan) {
  std::vector<std::string> violations = judge::violations(instance, schedule);
  if (stated_makespan && *stated_makespan != schedule.makespan()) {
    violations.push_back("the file says makespan " + format_seconds(*stated_makespan) + " s; the attempts end at " +
                         format_seconds(schedule.makespan()) + " s");
  }
  return violations;
}

std::string validation_text(const Instance& instance, const Schedule& schedule,
                            const std::vector<std::string>& violations) {
  std::string text;
  for (const std::string& violation : violations) text += report::harmless(violation) + "\n";
  if (!violations.empty())
    return text + fmt::format("invalid: {}\n", report::format_count(violations.size(), "violation"));
  return fmt::format("valid: {}, {}, makespan {} s\n", report::format_count(instance.graph.task_count(), "task"),
                     report::format_count(schedule.aborted_attempts(), "aborted attempt"),
                     format_seconds(schedule.makespan()));
}

nlohmann::ordered_json json_validation(const files::LoadedInstance& loaded, const Schedule& schedule,
                                       const std::vector<std::string>& violations) {
  nlohmann::ordered_json record = json_record(loaded.instance.name, loaded.platform);
  record.update({{"policy", schedule.policy},
                 {"valid", violations.empty()},
                 {"violations", violations},
                 {"tasks", loaded.instance.graph.task_count()},
                 {"makespan", json_seconds(schedule.makespan())},
                 {"aborted_attempts", schedule.aborted_attempts()}});
  return record;
}

int validate(const ValidateOptions& options) {
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  const files::LoadedSchedule file = input::load_schedule(options.schedule, instance);
  const Schedule& schedule = file.schedule;
  if (!schedule.instance.empty() && schedule.instance != instance.name) {
    warn("the schedule says it is of instance '" + schedule.instance + "', not of '" + instance.name + "'");
  }
  const std::vector<std::string> violations = violations_of(instance, schedule, file.stated_makespan);
  if (options.json) {
    print_json(json_validation(loaded, schedule, violations));
  } else {
    print_text(validation_text(instance, schedule, violations));
  }
  return violations.empty() ? 0 : 1;
}

}  // namespace heddle::cli
