#include "heddle/model/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"
#include "heddle/sim/noise.hpp"

namespace heddle::cli {

namespace {

/// The noise a schedule says it was made under; none where its remark is another program's.
sim::Noise stated_noise(const Schedule& schedule) {
  try {
    return sim::Noise(schedule.noise);
  } catch (const InputError&) {
    return {};
  }
}

/// Durations under noise can be drawn again: whether every attempt lasted what its draw says.
void check_drawn_durations(const Instance& instance, const Schedule& schedule, const sim::Noise& noise,
                           std::vector<std::string>& violations) {
  const auto drawn = noise.durations(instance, schedule.seed);
  std::vector<Attempt> attempts = schedule.attempts;
  std::ranges::sort(attempts, {},
                    [](const Attempt& a) { return std::tuple(a.start, a.end, a.outcome != Outcome::aborted); });
  Table<TaskId, std::uint32_t> count(instance.graph.task_count(), 0);
  for (const Attempt& attempt : attempts) {
    const ClassId c = instance.platform.class_of(attempt.worker);
    const std::uint32_t number = count[attempt.task]++;
    if (!instance.costs.can_run(attempt.task, c)) continue;
    const Time expected = drawn(attempt.task, c, number);
    const Time lasted = attempt.end - attempt.start;
    const bool fits = attempt.outcome == Outcome::completed ? lasted == expected : lasted < expected || lasted == 0;
    if (fits) continue;
    violations.push_back("attempt " + std::to_string(number + 1) + " of task '" +
                         std::string(instance.graph.name(attempt.task)) + "' lasts " + format_seconds(lasted) +
                         " s; under noise " + noise.text() + " and this seed it takes " + format_seconds(expected) +
                         " s");
  }
}

void print(const Instance& instance, const Schedule& schedule, const std::vector<std::string>& violations) {
  for (const std::string& violation : violations) fmt::print("{}\n", report::harmless(violation));
  if (!violations.empty()) return fmt::print("invalid: {}\n", report::format_count(violations.size(), "violation"));
  fmt::print("valid: {}, {}, makespan {} s\n", report::format_count(instance.graph.task_count(), "task"),
             report::format_count(schedule.aborted_attempts(), "aborted attempt"), format_seconds(schedule.makespan()));
}

}  // namespace

int validate(const ValidateOptions& options) {
  const Loaded loaded = load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  const InputFile input = read_input(options.schedule, io::Format::heddle_schedule);
  const io::ScheduleFile file = io::read_schedule(input.content, input.path, instance);
  const Schedule& schedule = file.schedule;
  if (!schedule.instance.empty() && schedule.instance != instance.name) {
    warn("the schedule says it is of instance '" + schedule.instance + "', not of '" + instance.name + "'");
  }
  const sim::Noise noise = stated_noise(schedule);
  std::vector<std::string> violations =
      heddle::validate(instance, schedule, noise.none() ? Durations::exact : Durations::free);
  if (violations.empty() && !noise.none()) check_drawn_durations(instance, schedule, noise, violations);
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
