#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

namespace {

void print(const Instance& instance, const Schedule& schedule, const std::vector<std::string>& violations) {
  for (const std::string& violation : violations) fmt::print("{}\n", report::harmless(violation));
  if (!violations.empty()) return fmt::print("invalid: {}\n", report::format_count(violations.size(), "violation"));
  fmt::print("valid: {}, {}, makespan {} s\n", report::format_count(instance.graph.task_count(), "task"),
             report::format_count(schedule.aborted_attempts(), "aborted attempt"), format_seconds(schedule.makespan()));
}

}  // namespace

int validate(const ValidateOptions& options) {
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  const files::LoadedSchedule file = input::load_schedule(options.schedule, instance);
  const Schedule& schedule = file.schedule;
  if (!schedule.instance.empty() && schedule.instance != instance.name) {
    warn("the schedule says it is of instance '" + schedule.instance + "', not of '" + instance.name + "'");
  }
  std::vector<std::string> violations = judge::violations(instance, schedule);
  if (file.stated_makespan && *file.stated_makespan != schedule.makespan()) {
    violations.push_back("the file says makespan " + format_seconds(*file.stated_makespan) +
                         " s; the attempts end at " + format_seconds(schedule.makespan()) + " s");
  }
  if (options.json) {
    nlohmann::ordered_json record = json_record(instance.name, loaded.platform);
    record.update({{"policy", schedule.policy},
                   {"valid", violations.empty()},
                   {"violations", violations},
                   {"tasks", instance.graph.task_count()},
                   {"makespan", json_seconds(schedule.makespan())},
                   {"aborted_attempts", schedule.aborted_attempts()}});
    print_json(record);
  } else {
    print(instance, schedule, violations);
  }
  return violations.empty() ? 0 : 1;
}

}  // namespace heddle::cli
