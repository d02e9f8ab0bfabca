#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/files/save.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::cli {
namespace {

using files::Target;

Target parse_target(const std::string& name) {
  if (name == "heddle-instance") return Target::instance;
  if (name == "heddle-platform") return Target::platform;
  if (name == "hetero-swf") return Target::hetero_swf;
  if (name == "dot") return Target::dot;
  const std::vector<std::string> possible{"heddle-instance", "heddle-platform", "hetero-swf", "dot"};
  throw InputError("--to is '" + name + "'" + suggest(name, possible));
}

/// What the suffix of the output says; what JSON shall hold depends on the input.
Target choose_target(const ConvertOptions& options, bool is_machine) {
  if (!options.to.empty()) return parse_target(options.to);
  if (const auto target = files::target_of(options.output, is_machine ? Target::platform : Target::instance))
    return *target;
  throw InputError("the suffix of '" + options.output +
                   "' names no format; say it with --to heddle-instance, "
                   "heddle-platform, hetero-swf or dot");
}

void check_source(const std::string& name) {
  if (!name.empty() && io::find_format(name) == io::Format::unknown) {
    throw InputError("--from is '" + name + "'" + suggest(name, io::format_names()));
  }
}

/// What IN holds.
using Content = std::variant<files::LoadedMachine, files::LoadedInstance>;

/// A machine that was named, when only an instance has a use for the options.
void check_alone(const std::string& machine, const files::InstanceOptions& options) {
  const std::pair<const char*, bool> given[] = {{"--platform", !options.platform.empty()},
                                                {"--unit", options.unit != files::InstanceOptions().unit},
                                                {"--force", !options.force.empty()},
                                                {"--inflate", !options.inflate.empty()}};
  for (const auto& [option, is_given] : given) {
    if (is_given) throw InputError(machine + " is a machine, which has no use for " + option);
  }
}

Content load_one(const ConvertOptions& options) {
  const std::string& input = options.inputs.front();
  check_source(options.from);
  if (options.from.empty() && files::names_machine(input)) {
    check_alone(input, options.input);
    return input::load_machine(input);
  }
  if (options.from.empty() && input != "-" && io::kind_of(input) == io::PathKind::nothing) {
    return input::load_instance(input, options.input);
  }
  const files::File file = input::read(input, options.from);
  if (io::find_format(file.format) != io::Format::heddle_platform) return input::load_instance(file, options.input);
  check_alone(input, options.input);
  return files::load_machine(file);
}

/// The StarPU sampling folder that a performance model or bus file is part of, with its machine: "FOLDER:host=NAME".
std::string sampling_of(const std::string& file, bool is_bus) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file, error).lexically_normal();
  if (error) throw InputError("the folder that '" + file + "' is in cannot be told: " + error.message());
  const std::string name = path.filename().string();
  const std::size_t dot = is_bus ? name.find('.') : name.rfind('.');
  if (dot == std::string::npos)
    throw InputError(file + " does not name its machine; expected <symbol>.<host> or <host>.<what>");
  const std::string host = is_bus ? name.substr(0, dot) : name.substr(dot + 1);
  std::filesystem::path folder = path.parent_path();
  const bool is_nested = folder.parent_path().filename() == "codelets";
  folder = is_bus ? folder.parent_path() : is_nested ? folder.parent_path().parent_path() : folder;
  return folder.string() + ":host=" + host;
}

/// Several IN that belong together: a recording, its data.rec, and the performance models and bus files of the machine
/// it shall run on; or the latter alone.
struct Several {
  std::optional<files::File> recording;
  std::optional<files::File> data;
  std::string machine;  ///< FOLDER:host=NAME; empty: none

  void add(files::File file) {
    const io::Format format = io::find_format(file.format);
    const bool is_bus = format == io::Format::starpu_bus_config || format == io::Format::starpu_bus_matrix ||
                        std::filesystem::path(file.path).extension() == ".affinity";
    if (is_bus || format == io::Format::starpu_perfmodel) {
      add_machine(sampling_of(file.path, is_bus));
    } else if (format == io::Format::starpu_tasks && !recording) {
      recording = std::move(file);
    } else if (format == io::Format::starpu_data && !data) {
      data = std::move(file);
    } else {
      throw InputError("several IN must be one tasks.rec and the StarPU files that go with it; " + file.path + " is " +
                       (file.format.empty() ? "something else" : "of format " + file.format));
    }
  }

  void add_machine(const std::string& sampling) {
    if (!machine.empty() && machine != sampling) {
      throw InputError("the files belong to different machines: " + machine + " and " + sampling);
    }
    machine = sampling;
  }
};

Content load_several(const ConvertOptions& options) {
  if (!options.from.empty()) throw InputError("--from says what one IN is; several are known by their content");
  Several several;
  for (const std::string& path : options.inputs) several.add(input::read(path));
  if (!several.recording) {
    if (several.data)
      throw InputError(several.data->path + " is not a task graph without its tasks.rec; expected that file too");
    check_alone(several.machine, options.input);
    return input::load_machine(several.machine);
  }
  files::InstanceOptions input = options.input;
  if (!input.platform.empty() && !several.machine.empty()) {
    throw InputError("--platform is '" + input.platform + "', and the files bring the machine " + several.machine +
                     "; expected one of them");
  }
  if (input.platform.empty()) input.platform = several.machine;
  return input::load_instance(*several.recording, input, several.data);
}

/// The text of a file, and what its user should know of it.
struct Converted {
  std::string text;
  std::string remark;
};

Converted write_machine(const files::LoadedMachine& loaded) {
  std::string remark;
  if (loaded.links_undecided) {
    remark = "the file holds the measured links of " + loaded.machine.name +
             ", and --platform FILE uses them; --platform FILE:links=off does not";
  }
  return {io::write_platform(loaded.machine), remark};
}

/// What an instance has that hetero-swf and DOT cannot hold, in words.
std::string further_parts(const files::LoadedInstance& loaded) {
  const TaskGraph& graph = loaded.instance.graph;
  const Platform& platform = loaded.instance.platform;
  const auto has_size = [](const Memory& memory) { return memory.bytes.has_value(); };
  const auto has_priority = [&](TaskId task) { return graph.priority(task) != 0; };
  const auto draws = [&](ClassId c) { return platform.resource_class(c).watts.has_value(); };
  std::string parts = "numbers of workers";
  if (std::ranges::any_of(platform.memories(), has_size)) parts += ", sizes of memories";
  if (!platform.links().empty() || loaded.links_undecided) parts += ", links";
  if (graph.data_count() > 0) parts += ", data";
  if (std::ranges::any_of(graph.tasks(), has_priority)) parts += ", priorities";
  if (loaded.instance.costs.estimates_differ()) parts += ", estimates";
  if (!loaded.instance.contexts.empty()) parts += ", contexts";
  if (std::ranges::any_of(platform.classes(), draws)) parts += ", watts";
  return parts;
}

Converted write_as(Target target, const files::LoadedInstance& loaded) {
  std::string text = files::write(loaded.instance, target);
  switch (target) {
    case Target::instance: {
      std::string remark;
      if (loaded.links_undecided) {
        remark = "the measured links of " + loaded.platform + " are left out; links=measured in --platform keeps them";
      }
      return {std::move(text), remark};
    }
    case Target::hetero_swf:
      return {std::move(text),
              "hetero-swf keeps durations and dependencies only; left out: names, types, " + further_parts(loaded)};
    default:
      return {std::move(text),
              "DOT keeps names, types and dependencies only; left out: durations, " + further_parts(loaded)};
  }
}

}  // namespace

int convert(const ConvertOptions& options) {
  check_outputs({{"--output", options.output}});
  const Content content = options.inputs.size() > 1 ? load_several(options) : load_one(options);
  const auto* machine = std::get_if<files::LoadedMachine>(&content);
  const Target target = choose_target(options, machine != nullptr);
  if (machine != nullptr && target != Target::platform) {
    throw InputError(options.inputs.front() + " is a machine; it can only be written as heddle-platform");
  }
  const Converted converted =
      machine != nullptr ? write_machine(*machine) : write_as(target, std::get<files::LoadedInstance>(content));
  if (!converted.remark.empty()) warn(converted.remark);
  write_output(options.output, converted.text);
  return 0;
}

int generate(const GenerateOptions& options) {
  check_outputs({{"--output", options.output}});
  const files::LoadedInstance loaded = input::load_instance(options.workload, options.input);
  write_output(options.output, io::write_instance(loaded.instance));
  return 0;
}

}  // namespace heddle::cli
