#include <fmt/format.h>

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

}  // namespace

int convert(const ConvertOptions& options) {
  if (options.inputs.size() > 1) {
    throw InputError("convert takes one IN at a time, found " + std::to_string(options.inputs.size()) +
                     ": a data.rec is found beside its tasks.rec, and performance models are given as their folder");
  }
  const std::string& input = options.inputs.front();
  const bool is_machine = options.from.empty() && describes_machine(input);
  const Target target = choose_target(options, is_machine);
  if (is_machine) {
    if (target != Target::platform)
      throw InputError(input + " is a machine; it can only be written as heddle-platform");
    write_output(options.output, io::write_platform(load_machine(input)));
    return 0;
  }
  const Loaded loaded = load_instance(input, options.input, parse_source(options.from));
  write_output(options.output, write_as(target, loaded.instance));
  return 0;
}

int generate(const GenerateOptions& options) {
  const Loaded loaded = load_instance(options.workload, options.input);
  write_output(options.output, io::write_instance(loaded.instance));
  return 0;
}

}  // namespace heddle::cli
