#pragma once

#include <optional>
#include <string>

#include "heddle/starpu/recorder.hpp"
#include "heddle/starpu/settings.hpp"

namespace heddle::starpu {

/// What a run was worth, in a line: tasks, makespan, its ratio to the best lower bound, and how long decisions took,
/// where that is known.
[[nodiscard]] std::string summary(const Recorder::Record& record, std::optional<Time> deciding);

/// Whether report() needs a record.
[[nodiscard]] bool wants_record(const Settings& settings);
/// At the end of a context: writes the record, and says the summary on standard error, as far as the user wants them.
/// Throws InputError when a file cannot be written.
void report(const Recorder::Record& record, const Settings& settings, unsigned context, std::optional<Time> deciding);

}  // namespace heddle::starpu
