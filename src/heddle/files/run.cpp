#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/files/files.hpp"
#include "heddle/files/source.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/starpu/execution.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"

namespace heddle::files {
namespace {

constexpr std::string_view kRecorded = "recorded";

bool is_recording(const File& file) {
  return io::find_format(file.format) == io::Format::starpu_tasks;
}

void check(const LoadedRun& run, const std::vector<std::string>& wrong) {
  if (wrong.empty()) return;
  throw InputError(fmt::format("{} is not a valid schedule of '{}' ({} violation{}): {}", run.path,
                               run.loaded.instance.name, wrong.size(), wrong.size() == 1 ? "" : "s", wrong.front()));
}

LoadedRun load_recording(const File& file, const InstanceOptions& options, const Reading& reading) {
  if (!options.force.empty() || !options.inflate.empty()) {
    throw InputError("--force and --inflate change what tasks may do; expected neither with a run that happened");
  }
  io::Recording recording = io::read_recording(file.content, file.path);
  tell(reading, recording.warnings);
  LoadedRun run{.path = file.path, .loaded = {}, .schedule = {}, .has_transfers = false};
  std::optional<Machine> machine;
  run.loaded.platform = kRecorded;
  if (!options.platform.empty() && options.platform != kRecorded) {
    Source source = find_source(options.platform, reading);
    run.loaded.links_undecided = source.leaves_links_undecided();
    run.loaded.platform = source.name();
    machine =
        platforms::without_idle_classes(platforms::configure(std::move(source.machine), source.settings, source.links));
  }
  io::Execution execution = io::execution_of(std::move(recording), machine);
  run.loaded.instance = std::move(execution.instance);
  run.schedule = std::move(execution.schedule);
  run.submitted = std::move(execution.submitted);
  if (!machine && execution.confined > 0 && reading.warn) {
    reading.warn(fmt::format("{}: {} task{} of a type that some class of workers never ran: they cannot run there",
                             file.path, execution.confined, execution.confined == 1 ? " is" : "s are"));
  }
  check(run, validate_attempts(run.loaded.instance, run.schedule, Durations::free));
  return run;
}

}  // namespace

LoadedRun load_run(const std::vector<std::string>& texts, const InstanceOptions& options, const Reading& reading) {
  if (texts.size() == 1) {
    const std::string& text = texts.front();
    if (kind_of(text) != io::PathKind::nothing) {
      const File file = read(text, {}, reading);
      if (is_recording(file)) return load_recording(file, options, reading);
      if (io::find_format(file.format) == io::Format::heddle_schedule) {
        throw InputError(file.path + " is a schedule; expected the instance that it is of before it");
      }
    }
    throw InputError(text + " is an instance; expected a schedule of it as well");
  }
  if (texts.size() != 2) {
    throw InputError(fmt::format("expected an instance and a schedule of it; found {} arguments", texts.size()));
  }
  if (options.platform == kRecorded) {
    throw InputError("--platform recorded takes the machine from a recording; found an instance and a schedule");
  }
  LoadedInstance loaded = load_instance(texts[0], options, reading);
  LoadedSchedule file = load_schedule(texts[1], loaded.instance, reading);
  LoadedRun run{.path = std::move(file.path), .loaded = std::move(loaded), .schedule = std::move(file.schedule)};
  check(run, validate(run.loaded.instance, run.schedule, Durations::free));
  return run;
}

}  // namespace heddle::files
