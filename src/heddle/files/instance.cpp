#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "heddle/files/contexts.hpp"
#include "heddle/files/source.hpp"
#include "heddle/io/contexts_json.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/io/workflow.hpp"
#include "heddle/model/contexts.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/hints.hpp"
#include "heddle/model/options.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::files {
namespace {

/// The machine that a workload or a recorded graph runs on.
LoadedMachine require_machine(const std::string& text, const InstanceOptions& options, const Reading& reading,
                              const std::string& why) {
  if (options.platform.empty()) throw InputError(text + " " + why);
  Source source = find_source(options.platform, reading);
  const bool undecided = source.leaves_links_undecided();
  std::string name = source.name();
  Machine machine = platforms::configure(std::move(source.machine), source.settings, source.links);
  return {platforms::without_idle_classes(std::move(machine)), std::move(name), undecided};
}

Platform bare_platform(const Machine& machine) {
  return Platform(machine.classes, machine.links, machine.buses);
}

/// An instance file with other numbers of workers, class by class: what would two more GPUs give? None is a number too.
Instance with_counts(Instance instance, const InstanceOptions& options) {
  if (!instance.contexts.empty() && options.contexts.empty()) {
    throw InputError("instance '" + instance.name +
                     "' has contexts of its workers, whose numbers --platform cannot "
                     "change then; --contexts gives it others");
  }
  if (!options.platform.starts_with(kCounts)) {
    throw InputError("instance '" + instance.name +
                     "' brings its own platform; --platform may only change its numbers of workers "
                     "(counts:cpu=16,gpu=4), found '" +
                     options.platform + "'");
  }
  Machine machine{instance.name, {}, instance.platform.links(), instance.platform.buses(), {}};
  for (const ClassId c : instance.platform.classes()) machine.classes.push_back(instance.platform.resource_class(c));
  machine =
      platforms::configure(std::move(machine), options.platform.substr(kCounts.size()), platforms::Links::measured);
  Platform platform = bare_platform(machine);
  return make_instance(std::move(instance.name), std::move(instance.graph), std::move(platform),
                       instance.costs.reopened());
}

LoadedInstance load_workload(const std::string& text, const InstanceOptions& options, const Reading& reading) {
  const LoadedMachine chosen = require_machine(
      text, options, reading,
      "is a workload and needs a machine: --platform NAME, e.g. --platform mirage (see heddle platforms)");
  return {workload::generate(text, chosen.machine), chosen.name, chosen.links_undecided};
}

LoadedInstance load_timed(io::TimedGraph graph, const std::string& path, const InstanceOptions& options,
                          const Reading& reading) {
  const LoadedMachine chosen = require_machine(
      path, options, reading,
      fmt::format("brings durations for {} class{} but no machine: give its workers, e.g. --platform {}", graph.columns,
                  graph.columns == 1 ? "" : "es", graph.columns == 1 ? "counts:cpu=4" : "counts:cpu=16,gpu=4"));
  return {io::place(std::move(graph), bare_platform(chosen.machine)), chosen.name, chosen.links_undecided};
}

LoadedInstance load_workflow(io::Workflow workflow, const InstanceOptions& options, const Reading& reading) {
  const LoadedMachine chosen =
      require_machine(workflow.source, options, reading,
                      "brings the durations of its tasks on one machine: give workers, e.g. --platform counts:cpu=16");
  return {io::place(std::move(workflow), bare_platform(chosen.machine)), chosen.name, chosen.links_undecided};
}

LoadedInstance load_recorded(const File& file, const std::optional<File>& data, const InstanceOptions& options,
                             const Reading& reading) {
  const LoadedMachine chosen = require_machine(
      file.path, options, reading,
      "is a recorded graph and needs the machine to run it on: --platform NAME, e.g. --platform sirocco");
  io::Recording recording =
      data ? io::read_tasks_rec(file.content, file.path, io::read_data_rec(data->content, data->path))
           : io::read_recording(file.content, file.path);
  tell(reading, recording.warnings);
  return {io::place(std::move(recording), chosen.machine), chosen.name, chosen.links_undecided};
}

LoadedInstance load_file(const File& file, const std::optional<File>& data, const InstanceOptions& options,
                         const Reading& reading) {
  const auto& [path, content, format] = file;
  const Time unit = options.unit == "ms" ? kMillisecond : kSecond;
  switch (io::find_format(format)) {
    case io::Format::heddle_instance: {
      Instance instance = io::read_instance(content, path);
      if (options.platform.empty()) return {std::move(instance), path};
      instance = with_counts(std::move(instance), options);
      return {std::move(instance), with_settings(path, options.platform.substr(kCounts.size()))};
    }
    case io::Format::hetero_swf:
      return load_timed(io::read_hetero_swf(content, path, unit), path, options, reading);
    case io::Format::stg:
      return load_timed(io::read_stg(content, path, unit), path, options, reading);
    case io::Format::wfformat:
      return load_workflow(io::read_workflow(content, path), options, reading);
    case io::Format::starpu_tasks:
      return load_recorded(file, data, options, reading);
    case io::Format::unknown:
      throw InputError(io::explain_unknown(content, path));
    default:
      break;
  }
  throw InputError(path + " is a file of format " + format + "; expected an instance");
}

std::uint32_t parse_percent(const std::string& text) {
  constexpr std::uint64_t kMost = 1000;
  const std::optional<std::uint64_t> percent = parse_count(text);
  if (!percent || *percent > kMost) throw InputError("--inflate is '" + text + "'; expected percent from 0 to 1000");
  return static_cast<std::uint32_t>(*percent);
}

Instance with_chosen_contexts(Instance instance, const InstanceOptions& options, const Reading& reading) {
  Contexts contexts = std::move(instance.contexts);
  if (!options.contexts.empty()) {
    const std::vector<ContextRequest> requests = load_contexts(options.contexts, reading);
    contexts = with_all_tasks(instance.graph, give_workers(instance.platform, requests));
  } else if (contexts.empty()) {
    throw InputError("--assign is '" + options.assign + "', but there are no contexts: --contexts says which");
  }
  assign_tasks(instance.graph, options.assign, contexts, reading);
  return with_contexts(std::move(instance), std::move(contexts));
}

/// What the options make of an instance.
LoadedInstance changed(LoadedInstance loaded, const InstanceOptions& options, const Reading& reading) {
  if (!options.force.empty()) loaded.instance = with_hints(loaded.instance, parse_hints("--force", options.force));
  if (!options.inflate.empty()) loaded.instance = inflated(loaded.instance, parse_percent(options.inflate));
  if (!options.contexts.empty() || !options.assign.empty()) {
    loaded.instance = with_chosen_contexts(std::move(loaded.instance), options, reading);
  }
  return loaded;
}

}  // namespace

std::optional<std::string> socket_policy(const std::string& text) {
  constexpr std::string_view kSockets = "sockets";
  if (text == kSockets) return ContextRequest().policy;
  const std::string start = std::string(kSockets) + ":";
  if (!text.starts_with(start)) return std::nullopt;
  return text.substr(start.size());
}

std::vector<ContextRequest> load_contexts(const std::string& text, const Reading& reading) {
  if (text.empty()) return {};
  if (socket_policy(text)) {
    throw InputError("--contexts is '" + text +
                     "', but a platform does not say on which sockets its workers are; heddle run makes such contexts "
                     "on this machine, and with --instance writes an instance that has them");
  }
  std::vector<ContextRequest> requests = parse_contexts("--contexts", text);
  for (ContextRequest& request : requests) request.policy = with_files_inside(request.policy, reading);
  return requests;
}

void assign_tasks(const TaskGraph& tasks, const std::string& assign, Contexts& contexts, const Reading& reading) {
  if (assign.find('@') != std::string::npos) {
    constexpr const char* kForm = "TYPE@CONTEXT or TYPE:TILES@CONTEXT, e.g. POTRF@solver or TRSM:6@rest";
    heddle::assign(tasks, parse_hints("--assign", assign, kForm), contexts);
  } else if (!assign.empty()) {
    const File file = read(assign, {}, reading);
    io::read_assignment(file.content, file.path, tasks, contexts);
  }
}

LoadedInstance load_instance(const std::string& text, const InstanceOptions& options, const Reading& reading) {
  const io::PathKind kind = kind_of(text);
  const bool exists = kind != io::PathKind::nothing && kind != io::PathKind::unknown;
  const bool is_workload = workload::find(text) != nullptr && !exists;
  if (is_workload) return changed(load_workload(text, options, reading), options, reading);
  // A name that is no file is more likely a mistyped workload when it looks like one.
  const bool looks_like_file = text.find_first_of("/.") != std::string::npos && text.find('=') == std::string::npos;
  if (kind == io::PathKind::nothing && !looks_like_file) return {workload::generate(text, {}), ""};
  return load_instance(read(text, {}, reading), options, std::nullopt, reading);
}

LoadedInstance load_instance(const File& file, const InstanceOptions& options, const std::optional<File>& data,
                             const Reading& reading) {
  return changed(load_file(file, data, options, reading), options, reading);
}

std::vector<BuiltIn> built_in_workloads() {
  std::vector<BuiltIn> workloads;
  for (const workload::Entry& entry : workload::entries()) workloads.push_back({entry.name, entry.summary});
  return workloads;
}

}  // namespace heddle::files
