#include "heddle/model/validate.hpp"

#include <fmt/format.h>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {

int validate(const ValidateOptions& options) {
  const Instance instance = load_instance(options.instance, options.input).instance;
  const io::ScheduleFile file = io::read_schedule(io::read_file(options.schedule), options.schedule, instance);
  const Schedule& schedule = file.schedule;
  const Durations durations = schedule.noise.empty() ? Durations::exact : Durations::free;
  std::vector<std::string> violations = heddle::validate(instance, schedule, durations);
  if (file.stated_makespan && *file.stated_makespan != schedule.makespan()) {
    violations.push_back("the file says makespan " + format_seconds(*file.stated_makespan) +
                         " s; the attempts end at " + format_seconds(schedule.makespan()) + " s");
  }
  for (const std::string& violation : violations) fmt::print("{}\n", violation);
  if (!violations.empty()) {
    fmt::print("invalid: {} violation{}\n", violations.size(), violations.size() == 1 ? "" : "s");
    return 1;
  }
  fmt::print("valid: {} tasks, {} aborted attempts, makespan {} s\n", instance.graph.task_count(),
             schedule.aborted_attempts(), format_seconds(schedule.makespan()));
  if (durations == Durations::free) fmt::print("durations were not compared: noise {}\n", schedule.noise);
  return 0;
}

}  // namespace heddle::cli
