#include "heddle/cli/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/option_list.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/plan_file.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/starpu/sampling.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/hints.hpp"
#include "heddle/model/settings.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/report/text_table.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::cli {
namespace {

constexpr std::string_view kStandardInput = "-";
/// Before numbers of workers of a machine that is nothing else, or of an instance's own.
constexpr std::string_view kCounts = "counts:";

/// A path and, behind its last ':', settings: "machine.json:cpu=4". The whole text is the path when such a file exists.
struct PathAndSettings {
  std::string path;
  std::string settings;
};

PathAndSettings split_path(const std::string& argument) {
  const std::size_t colon = argument.rfind(':');
  if (input_kind(argument) != io::PathKind::nothing || colon == std::string::npos) return {argument, ""};
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

std::string with_settings(const std::string& name, const std::string& settings) {
  return settings.empty() ? name : name + ":" + settings;
}

/// A machine as it was measured, and what the user says of it.
struct Source {
  Machine machine;
  std::string settings;
  platforms::Links links;  ///< what becomes of its links when the settings do not say

  [[nodiscard]] std::string name() const { return with_settings(machine.name, settings); }
  [[nodiscard]] bool leaves_links_undecided() const {
    if (links == platforms::Links::measured || machine.links.empty()) return false;
    const std::vector<Setting> said = parse_settings("platform '" + machine.name + "'", settings);
    return std::ranges::find(said, "links", &Setting::key) == said.end();
  }
};

io::Devices devices_of(const std::string& folder, const std::string& value) {
  if (value == "apart") return io::Devices::apart;
  if (value == "pooled") return io::Devices::pooled;
  throw InputError("platform '" + folder + "': devices=" + value + "; expected devices=pooled or devices=apart");
}

/// A StarPU sampling folder: `host=NAME` says which machine, which may be left out when there is only one;
/// `devices=apart` that each device is a class of its own.
Source find_sampling(const PathAndSettings& source) {
  std::string host;
  std::string rest;
  io::Devices devices = io::Devices::pooled;
  for (const Setting& setting : parse_settings("platform '" + source.path + "'", source.settings)) {
    if (setting.key == "host") {
      host = setting.value;
    } else if (setting.key == "devices") {
      devices = devices_of(source.path, setting.value);
    } else {
      rest += (rest.empty() ? "" : ",") + setting.key + "=" + setting.value;
    }
  }
  if (host.empty()) {
    const std::vector<std::string> hosts = io::starpu_hosts(source.path);
    if (hosts.empty()) throw InputError("folder '" + source.path + "' holds no StarPU measurements (no bus/*.config)");
    if (hosts.size() > 1) {
      throw InputError("folder '" + source.path + "' holds measurements of several machines; say which: " +
                       source.path + ":host=NAME (" + join(hosts) + ")");
    }
    host = hosts.front();
  }
  io::SampledMachine sampled = io::read_starpu_machine(source.path, host, devices);
  for (const std::string& warning : sampled.warnings) warn(warning);
  return {std::move(sampled.machine), rest, platforms::Links::off};
}

std::string read_path(const std::string& path) {
  try {
    return io::read_file(path, is_interrupted);
  } catch (const InputError&) {
    if (is_interrupted()) throw Interrupted();
    throw;
  }
}

Source find_in(const InputFile& file, const std::string& settings) {
  if (file.format == io::Format::unknown) throw InputError(io::explain_unknown(file.content, file.path));
  if (file.format != io::Format::heddle_platform) {
    throw InputError(file.path + " is a file of format " + std::string(io::to_string(file.format)) +
                     "; expected a platform (heddle-platform)");
  }
  return {io::read_platform(file.content, file.path), settings, platforms::Links::measured};
}

Source find_source(const std::string& argument) {
  if (!platforms::is_known(argument)) {
    const PathAndSettings source = split_path(argument);
    const io::PathKind kind = input_kind(source.path);
    if (kind == io::PathKind::folder) return find_sampling(source);
    if (kind != io::PathKind::nothing) return find_in(read_input(source.path), source.settings);
  }
  if (argument.starts_with(kCounts)) {
    Machine machine = platforms::resolve(argument);
    machine.name = argument;
    return {std::move(machine), "", platforms::Links::off};
  }
  // What is neither a file nor a built-in machine is refused there, with a list of those.
  const std::string name = argument.substr(0, argument.find(':'));
  const std::string settings = name.size() == argument.size() ? "" : argument.substr(name.size() + 1);
  return {platforms::builtin(name), settings, platforms::Links::off};
}

/// The machine that a workload or a recorded graph runs on.
LoadedMachine require_machine(const std::string& argument, const InputOptions& options, const std::string& why) {
  if (options.platform.empty()) throw InputError(argument + " " + why);
  Source source = find_source(options.platform);
  const bool undecided = source.leaves_links_undecided();
  std::string name = source.name();
  Machine machine = platforms::configure(std::move(source.machine), source.settings, source.links);
  return {platforms::without_idle_classes(std::move(machine)), std::move(name), undecided};
}

/// The machine with all that was measured.
LoadedMachine whole(Source source) {
  const bool undecided = source.leaves_links_undecided();
  std::string name = source.name();
  Machine machine = platforms::configure(std::move(source.machine), source.settings, platforms::Links::measured);
  const bool has_links = !machine.links.empty();
  return {std::move(machine), std::move(name), undecided && has_links};
}

Platform bare_platform(const Machine& machine) {
  return Platform(machine.classes, machine.links, machine.buses);
}

/// An instance file with other numbers of workers, class by class: what would two more GPUs give? None is a number too.
Instance with_counts(Instance instance, const InputOptions& options) {
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

Loaded load_workload(const std::string& argument, const InputOptions& options) {
  const LoadedMachine chosen = require_machine(
      argument, options,
      "is a workload and needs a machine: --platform NAME, e.g. --platform mirage (see heddle platforms)");
  return {workload::generate(argument, chosen.machine), chosen.name, chosen.links_undecided};
}

Loaded load_timed(io::TimedGraph graph, const std::string& argument, const InputOptions& options) {
  const LoadedMachine chosen = require_machine(
      argument, options,
      fmt::format("brings durations for {} class{} but no machine: give its workers, e.g. --platform {}", graph.columns,
                  graph.columns == 1 ? "" : "es", graph.columns == 1 ? "counts:cpu=4" : "counts:cpu=16,gpu=4"));
  return {io::place(std::move(graph), bare_platform(chosen.machine)), chosen.name, chosen.links_undecided};
}

Loaded load_recorded(const InputFile& file, const std::optional<InputFile>& data, const InputOptions& options) {
  const LoadedMachine chosen = require_machine(
      file.path, options,
      "is a recorded graph and needs the machine to run it on: --platform NAME, e.g. --platform sirocco");
  io::Recording recording =
      data ? io::read_tasks_rec(file.content, file.path, io::read_data_rec(data->content, data->path))
           : io::read_recording(file.content, file.path);
  for (const std::string& warning : recording.warnings) warn(warning);
  return {io::place(std::move(recording), chosen.machine), chosen.name, chosen.links_undecided};
}

Loaded load_file(const InputFile& file, const std::optional<InputFile>& data, const InputOptions& options) {
  const auto& [path, content, format] = file;
  const Time unit = options.unit == "ms" ? kMillisecond : kSecond;
  switch (format) {
    case io::Format::heddle_instance: {
      Instance instance = io::read_instance(content, path);
      if (options.platform.empty()) return {std::move(instance), path};
      instance = with_counts(std::move(instance), options);
      return {std::move(instance), with_settings(path, options.platform.substr(kCounts.size()))};
    }
    case io::Format::hetero_swf:
      return load_timed(io::read_hetero_swf(content, path, unit), path, options);
    case io::Format::stg:
      return load_timed(io::read_stg(content, path, unit), path, options);
    case io::Format::starpu_tasks:
      return load_recorded(file, data, options);
    case io::Format::unknown:
      throw InputError(io::explain_unknown(content, path));
    default:
      break;
  }
  throw InputError(path + " is a file of format " + std::string(io::to_string(format)) + "; expected an instance");
}

std::uint32_t parse_percent(const std::string& text) {
  constexpr std::uint64_t kMost = 1000;
  const std::optional<std::uint64_t> percent = parse_count(text);
  if (!percent || *percent > kMost) throw InputError("--inflate is '" + text + "'; expected percent from 0 to 1000");
  return static_cast<std::uint32_t>(*percent);
}

/// What the options make of an instance.
Loaded changed(Loaded loaded, const InputOptions& options) {
  if (!options.force.empty()) loaded.instance = with_hints(loaded.instance, parse_hints("--force", options.force));
  if (!options.inflate.empty()) loaded.instance = inflated(loaded.instance, parse_percent(options.inflate));
  check_interrupt();
  return loaded;
}

}  // namespace

void warn(const std::string& sentence) {
  fmt::print(stderr, "heddle: warning: {}\n", report::harmless(sentence));
}

io::PathKind input_kind(const std::string& path) {
  return path == kStandardInput ? io::PathKind::other : io::kind_of(path);
}

std::string read_text(const std::string& path) {
  if (path != kStandardInput) return read_path(path);
  static const std::string text = read_path("/dev/stdin");
  return text;
}

InputFile read_input(const std::string& path, io::Format format) {
  std::string content = read_text(path);
  if (format == io::Format::unknown) format = io::detect(content);
  return {path == kStandardInput ? "standard input" : path, std::move(content), format};
}

bool names_machine(const std::string& argument) {
  if (platforms::is_known(argument)) return true;
  const PathAndSettings source = split_path(argument);
  const io::PathKind kind = input_kind(source.path);
  return kind == io::PathKind::folder || (kind != io::PathKind::nothing && source.path != argument);
}

LoadedMachine load_machine(const std::string& argument) {
  return whole(find_source(argument));
}

LoadedMachine load_machine(const InputFile& file) {
  return whole(find_in(file, ""));
}

Loaded load_instance(const std::string& argument, const InputOptions& options) {
  const io::PathKind kind = input_kind(argument);
  const bool exists = kind != io::PathKind::nothing && kind != io::PathKind::unknown;
  const bool is_workload = workload::find(argument) != nullptr && !exists;
  if (is_workload) return changed(load_workload(argument, options), options);
  // A name that is no file is more likely a mistyped workload when it looks like one.
  const bool looks_like_file =
      argument.find_first_of("/.") != std::string::npos && argument.find('=') == std::string::npos;
  if (kind == io::PathKind::nothing && !looks_like_file) return {workload::generate(argument, {}), ""};
  return load_instance(read_input(argument), options);
}

Loaded load_instance(const InputFile& file, const InputOptions& options, const std::optional<InputFile>& data) {
  return changed(load_file(file, data, options), options);
}

policy::Spec load_policy(const std::string& argument) {
  NamedSettings parsed = parse_spec("policy", argument);
  for (Setting& setting : parsed.settings) {
    if (setting.value.starts_with('@')) setting.value = read_text(setting.value.substr(1));
  }
  return policy::Spec(argument, parsed);
}

bool lacks_plan(const policy::Spec& spec) {
  return spec.entry().needs(spec.options()).plan && spec.options().text("file").empty();
}

Schedule load_plan(const policy::Spec& spec, const Instance& instance) {
  const std::function<Schedule(const Instance&)> plan = load_plan(spec);
  return plan ? plan(instance) : Schedule();
}

std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec) {
  if (lacks_plan(spec)) {
    throw InputError("policy '" + spec.entry().name + "' follows a given schedule; say which: " + spec.entry().name +
                     ":file=SCHEDULE.json");
  }
  if (!spec.entry().needs(spec.options()).plan) return {};
  InputFile file = read_input(spec.options().text("file"), io::Format::heddle_schedule);
  return io::PlanFile(std::move(file.content), std::move(file.path));
}

double parse_seconds(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const bool known = unit.empty() || unit == "s" || unit == "ms";
  if (error != std::errc() || !known || !(value > 0)) {
    throw InputError(option + " is '" + text + "'; expected a duration such as 2s or 500ms");
  }
  return unit == "ms" ? value / 1000 : value;
}

std::vector<std::string> split_policies(const std::string& text) {
  std::vector<std::string> policies;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = begin + setting_end(std::string_view(text).substr(begin));
    const std::string word = text.substr(begin, end - begin);
    // "key=value" goes on with the options of the policy before; a policy has a ':' in front of its first '='.
    const bool is_option = word.find('=') < word.find(':');
    if (word == "all") {
      for (const policy::Entry& entry : policy::entries()) policies.push_back(entry.name);
    } else if (is_option && !policies.empty()) {
      policies.back() += "," + word;
    } else {
      policies.push_back(word);
    }
    begin = end + 1;
  }
  return policies;
}

}  // namespace heddle::cli
