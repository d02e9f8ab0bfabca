#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heddle/files/source.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/io/starpu/sampling.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"

namespace heddle::files {
namespace {

/// A path and, behind its last ':', settings: "machine.json:cpu=4". The whole text is the path when such a file exists.
struct PathAndSettings {
  std::string path;
  std::string settings;
};

PathAndSettings split_path(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (kind_of(text) != io::PathKind::nothing || colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

io::Devices devices_of(const std::string& folder, const std::string& value) {
  if (value == "apart") return io::Devices::apart;
  if (value == "pooled") return io::Devices::pooled;
  throw InputError("platform '" + folder + "': devices=" + value + "; expected devices=pooled or devices=apart");
}

/// A StarPU sampling folder: `host=NAME` says which machine, which may be left out when there is only one;
/// `devices=apart` that each device is a class of its own.
Source find_sampling(const PathAndSettings& source, const Reading& reading) {
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
      throw InputError(
          fmt::format("folder '{0}' holds measurements of several machines; say which: {0}:host=NAME ({1})",
                      source.path, fmt::join(hosts, ", ")));
    }
    host = hosts.front();
  }
  io::SampledMachine sampled = io::read_starpu_machine(source.path, host, devices);
  tell(reading, sampled.warnings);
  return {std::move(sampled.machine), rest, platforms::Links::off};
}

Source find_in(const File& file, const std::string& settings) {
  const io::Format format = io::find_format(file.format);
  if (format == io::Format::unknown) throw InputError(io::explain_unknown(file.content, file.path));
  if (format != io::Format::heddle_platform) {
    throw InputError(file.path + " is a file of format " + file.format + "; expected a platform (heddle-platform)");
  }
  return {io::read_platform(file.content, file.path), settings, platforms::Links::measured};
}

/// The machine with all that was measured.
LoadedMachine whole(Source source) {
  const bool undecided = source.leaves_links_undecided();
  std::string name = source.name();
  Machine machine = platforms::configure(std::move(source.machine), source.settings, platforms::Links::measured);
  const bool has_links = !machine.links.empty();
  return {std::move(machine), std::move(name), undecided && has_links};
}

}  // namespace

std::string with_settings(const std::string& name, const std::string& settings) {
  return settings.empty() ? name : name + ":" + settings;
}

std::string Source::name() const {
  return with_settings(machine.name, settings);
}

bool Source::leaves_links_undecided() const {
  if (links == platforms::Links::measured || machine.links.empty()) return false;
  const std::vector<Setting> said = parse_settings("platform '" + machine.name + "'", settings);
  return std::ranges::find(said, "links", &Setting::key) == said.end();
}

Source find_source(const std::string& text, const Reading& reading) {
  if (!platforms::is_known(text)) {
    const PathAndSettings source = split_path(text);
    const io::PathKind kind = kind_of(source.path);
    if (kind == io::PathKind::folder) return find_sampling(source, reading);
    if (kind != io::PathKind::nothing) return find_in(read(source.path, {}, reading), source.settings);
  }
  if (text.starts_with(kCounts)) {
    Machine machine = platforms::resolve(text);
    machine.name = text;
    return {std::move(machine), "", platforms::Links::off};
  }
  // What is neither a file nor a built-in machine is refused there, with a list of those.
  const std::string name = text.substr(0, text.find(':'));
  const std::string settings = name.size() == text.size() ? "" : text.substr(name.size() + 1);
  return {platforms::builtin(name), settings, platforms::Links::off};
}

bool names_machine(const std::string& text) {
  if (platforms::is_known(text)) return true;
  const PathAndSettings source = split_path(text);
  const io::PathKind kind = kind_of(source.path);
  return kind == io::PathKind::folder || (kind != io::PathKind::nothing && source.path != text);
}

LoadedMachine load_machine(const std::string& text, const Reading& reading) {
  return whole(find_source(text, reading));
}

LoadedMachine load_machine(const File& file) {
  return whole(find_in(file, ""));
}

std::vector<BuiltIn> built_in_machines() {
  std::vector<BuiltIn> machines;
  for (const platforms::Entry& entry : platforms::entries()) {
    machines.push_back({std::string(entry.name), std::string(entry.summary)});
  }
  return machines;
}

}  // namespace heddle::files
