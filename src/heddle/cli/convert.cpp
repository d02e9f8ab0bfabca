#include <filesystem>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/io/dot.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/platforms/platforms.hpp"

namespace heddle::cli {
namespace {

enum class Target { instance, platform, hetero_swf, dot };

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
  const std::string suffix = std::filesystem::path(options.output).extension().string();
  if (suffix == ".dot" || suffix == ".gv") return Target::dot;
  if (suffix == ".swf" || suffix == ".txt") return Target::hetero_swf;
  if (suffix == ".json") return is_machine ? Target::platform : Target::instance;
  throw InputError("the suffix of '" + options.output +
                   "' names no format; say it with --to heddle-instance, "
                   "heddle-platform, hetero-swf or dot");
}

std::string write_as(Target target, const Instance& instance) {
  switch (target) {
    case Target::instance:
      return io::write_instance(instance);
    case Target::hetero_swf:
      return io::write_hetero_swf(instance);
    case Target::dot:
      return io::write_dot(instance.graph, instance.name);
    case Target::platform:
      break;
  }
  throw InputError("an instance cannot be written as heddle-platform");
}

io::Format parse_source(const std::string& name) {
  if (name.empty()) return io::Format::unknown;
  const io::Format format = io::find_format(name);
  if (format == io::Format::unknown) throw InputError("--from is '" + name + "', which is no format that is read");
  return format;
}

/// Whether the argument describes a machine: a folder, a built-in one, or a platform file.
bool describes_machine(const std::string& argument) {
  if (platforms::is_known(argument)) return true;
  const std::string path = argument.substr(0, argument.rfind(':'));
  if (std::filesystem::is_directory(argument) || std::filesystem::is_directory(path)) return true;
  return std::filesystem::exists(argument) && io::detect(io::read_file(argument)) == io::Format::heddle_platform;
}

/// The StarPU sampling folder that a performance model or bus file is part of, with its machine: "FOLDER:host=NAME".
std::string sampling_of(const std::string& file, bool is_bus) {
  const std::filesystem::path path = std::filesystem::absolute(file).lexically_normal();
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

/// Several IN belong together: a recording, its data.rec, and the performance models and bus files of the machine it
/// shall run on; or the latter alone. They become one IN and, for the machine, the platform.
ConvertOptions joined(ConvertOptions options) {
  std::string recording;
  std::string machine;
  for (const std::string& file : options.inputs) {
    const io::Format format = io::detect(io::read_file(file));
    const bool is_bus = format == io::Format::starpu_bus_config || format == io::Format::starpu_bus_matrix ||
                        std::filesystem::path(file).extension() == ".affinity";
    if (is_bus || format == io::Format::starpu_perfmodel) {
      const std::string sampling = sampling_of(file, is_bus);
      if (!machine.empty() && machine != sampling) {
        throw InputError("the files belong to different machines: " + machine + " and " + sampling);
      }
      machine = sampling;
    } else if (format == io::Format::starpu_tasks && recording.empty()) {
      recording = file;
    } else if (format != io::Format::starpu_data) {  // which is found beside its tasks.rec
      throw InputError(
          "several IN must be one tasks.rec and the StarPU files that go with it; " + file + " is " +
          (format == io::Format::unknown ? "something else" : "of format " + std::string(io::to_string(format))));
    }
  }
  if (recording.empty() && machine.empty())
    throw InputError("a data.rec alone is no task graph; expected its tasks.rec");
  if (!recording.empty() && !machine.empty()) options.input.platform = machine;
  options.inputs = {recording.empty() ? machine : recording};
  return options;
}

}  // namespace

int convert(const ConvertOptions& options) {
  check_outputs({{"--output", options.output}});
  const ConvertOptions one = options.inputs.size() > 1 ? joined(options) : options;
  const std::string& input = one.inputs.front();
  const bool is_machine = one.from.empty() && describes_machine(input);
  const Target target = choose_target(one, is_machine);
  if (is_machine) {
    if (target != Target::platform) {
      throw InputError(input + " is a machine; it can only be written as heddle-platform");
    }
    write_output(one.output, io::write_platform(load_machine(input)));
    return 0;
  }
  const Loaded loaded = load_instance(input, one.input, parse_source(one.from));
  if (target == Target::hetero_swf) {
    warn("hetero-swf keeps durations and dependencies only: names, types, data, priorities and estimates are left out");
  }
  write_output(one.output, write_as(target, loaded.instance));
  return 0;
}

int generate(const GenerateOptions& options) {
  check_outputs({{"--output", options.output}});
  const Loaded loaded = load_instance(options.workload, options.input);
  write_output(options.output, io::write_instance(loaded.instance));
  return 0;
}

}  // namespace heddle::cli
