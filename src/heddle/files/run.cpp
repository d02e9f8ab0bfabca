#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/files/files.hpp"
#include "heddle/files/source.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/io/starpu/execution.hpp"
#include "heddle/io/workflow.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::files {
namespace {

constexpr std::string_view kRecorded = "recorded";

bool is_recording(const File& file) {
  const io::Format format = io::find_format(file.format);
  return format == io::Format::starpu_tasks || format == io::Format::wfformat;
}

void check(const LoadedRun& run, const std::vector<std::string>& wrong) {
  if (wrong.empty()) return;
  throw InputError(fmt::format("{} is not a valid schedule of '{}' ({} violation{}): {}", run.path,
                               run.loaded.instance.name, wrong.size(), wrong.size() == 1 ? "" : "s", wrong.front()));
}

void take(io::Execution execution, LoadedRun& run) {
  run.loaded.instance = std::move(execution.instance);
  run.schedule = std::move(execution.schedule);
  run.submitted = std::move(execution.submitted);
}

/// Where the machine is the recorded one.
void warn_of_confined(std::size_t confined, const std::string& path, const Reading& reading) {
  if (confined == 0 || !reading.warn) return;
  reading.warn(fmt::format("{}: {} task{} of a type that some class of workers never ran: they cannot run there", path,
                           confined, confined == 1 ? " is" : "s are"));
}

LoadedRun load_starpu(const File& file, const InstanceOptions& options, const Reading& reading) {
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
  const auto transfers = io::load_transfers(file.path);
  io::Execution execution =
      io::execution_of(std::move(recording), machine, transfers.value_or(std::vector<io::RecordedTransfer>()));
  if (!machine) warn_of_confined(execution.confined, file.path, reading);
  take(std::move(execution), run);
  return run;
}

LoadedRun load_workflow(const File& file, const InstanceOptions& options, const Reading& reading) {
  if (!options.platform.empty() && options.platform != kRecorded) {
    throw InputError(fmt::format("{} ran on the machines that it names; expected --platform recorded, found '{}'",
                                 file.path, options.platform));
  }
  LoadedRun run{.path = file.path, .loaded = {}, .schedule = {}, .has_transfers = false};
  run.loaded.platform = kRecorded;
  io::WorkflowExecution found = io::execution_of(io::read_workflow(file.content, file.path));
  run.is_replayed = found.is_replayed;
  run.measured = found.measured;
  warn_of_confined(found.execution.confined, file.path, reading);
  take(std::move(found.execution), run);
  return run;
}

LoadedRun load_recording(const File& file, const InstanceOptions& options, const Reading& reading) {
  if (!options.force.empty() || !options.inflate.empty()) {
    throw InputError("--force and --inflate change what tasks may do; expected neither with a run that happened");
  }
  const bool is_workflow = io::find_format(file.format) == io::Format::wfformat;
  LoadedRun run = is_workflow ? load_workflow(file, options, reading) : load_starpu(file, options, reading);
  check(run, validate_attempts(run.loaded.instance, run.schedule, Durations::free));
  return run;
}

LoadedRun load_scheduled(const LoadedInstance& loaded, const File& file) {
  LoadedRun run{.path = file.path,
                .loaded = loaded,
                .schedule = io::read_schedule(file.content, file.path, loaded.instance).schedule};
  check(run, validate(run.loaded.instance, run.schedule, Durations::free));
  return run;
}

/// One file alone that is not a recording.
[[noreturn]] void refuse_alone(const File& file, const InstanceOptions& options, const Reading& reading) {
  if (io::find_format(file.format) == io::Format::heddle_schedule) {
    throw InputError(file.path + " is a schedule; expected the instance that it is of before it");
  }
  if (io::find_format(file.format) != io::Format::heddle_instance) {
    static_cast<void>(load_instance(file, options, std::nullopt, reading));  // which says what it is, if it is none
  }
  throw InputError(file.path + " is an instance; expected a schedule of it as well");
}

}  // namespace

std::vector<LoadedRun> load_runs(const std::vector<std::string>& texts, const InstanceOptions& options,
                                 const Reading& reading) {
  if (texts.empty() || texts.size() > 3) {
    throw InputError(
        fmt::format("expected an instance and one or two schedules of it; found {} arguments", texts.size()));
  }
  if (texts.size() == 1 && kind_of(texts[0]) == io::PathKind::nothing) {
    if (workload::find(texts[0]) == nullptr) static_cast<void>(load_instance(texts[0], options, reading));
    throw InputError(texts[0] + " is an instance; expected a schedule of it as well");
  }
  // The last one tells: it is a recording or a schedule. What comes from a pipe can be read once.
  std::vector<File> files;
  for (std::size_t i = texts.size() == 1 ? 0 : 1; i < texts.size(); ++i) files.push_back(read(texts[i], {}, reading));
  std::vector<LoadedRun> runs;
  if (texts.size() < 3 && is_recording(files.back())) {
    if (texts.size() == 2) files.insert(files.begin(), read(texts[0], {}, reading));
    for (const File& file : files) {
      if (!is_recording(file)) throw InputError(file.path + " is not a recording; expected two of them");
      runs.push_back(load_recording(file, options, reading));
    }
    return runs;
  }
  if (texts.size() == 1) refuse_alone(files[0], options, reading);
  if (options.platform == kRecorded) {
    throw InputError("--platform recorded takes the machine from a recording; found an instance and a schedule");
  }
  const LoadedInstance loaded = load_instance(texts[0], options, reading);
  for (const File& file : files) runs.push_back(load_scheduled(loaded, file));
  return runs;
}

LoadedRun load_run(const LoadedInstance& loaded, const File& file) {
  return load_scheduled(loaded, file);
}

}  // namespace heddle::files
