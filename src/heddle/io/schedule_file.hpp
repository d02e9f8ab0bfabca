#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::io {

/// A schedule as its file tells it.
struct ScheduleFile {
  Schedule schedule;
  /// What the file claims; a judge of the schedule compares it with `schedule.makespan()`.
  std::optional<Time> stated_makespan;
};

/// Reads a schedule of `instance` in Heddle's own format, version 1. `source` names the text in errors.
///
/// `format`, `version` and `attempts` must be there, the rest may be left out. `workers`, when there, lists exactly the
/// workers of the instance's platform, in any order. Whether the schedule is valid, or its makespan right, is not asked
/// here (validate). The `noise` is taken from `meta`, where it is a string.
///
/// Throws InputError: file, JSON path, what was found, what was expected; unknown tasks, workers, data and memories
/// too.
[[nodiscard]] ScheduleFile read_schedule(std::string_view text, std::string_view source, const Instance& instance);

/// The attempts of such a file, to be carried out as a plan: the names of data and memories are not looked at, as data
/// goes where tasks need it.
[[nodiscard]] Schedule read_plan(std::string_view text, std::string_view source, const Instance& instance);

/// The same of tasks that are not known yet, each with its name.
[[nodiscard]] std::vector<std::pair<std::string, Attempt>> read_named_plan(std::string_view text,
                                                                           std::string_view source,
                                                                           const Platform& platform);

/// The schedule in that format, one worker, attempt and transfer per line; deterministic to the byte. Reading it back
/// gives an equal schedule.
[[nodiscard]] std::string write_schedule(const Schedule& schedule, const Instance& instance);

}  // namespace heddle::io
