#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/settings.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/platforms/worker_counts.hpp"

namespace heddle::platforms {
namespace {

using NameSet = std::unordered_set<std::string>;

std::string owner_of(const Machine& machine) {
  return "platform '" + machine.name + "'";
}

Links parse_links(const Machine& machine, const std::string& value) {
  if (value != "off" && value != "measured") {
    throw InputError(owner_of(machine) + ": option 'links' is '" + value + "'; expected off|measured");
  }
  if (value == "measured" && machine.links.empty()) throw InputError(owner_of(machine) + " has no measured links");
  return value == "off" ? Links::off : Links::measured;
}

void set_workers(Machine& machine, const Setting& setting) {
  const auto found = std::ranges::find(machine.classes, setting.key, &ResourceClass::name);
  if (found == machine.classes.end()) {
    check_class_name(owner_of(machine), setting.key);
    std::vector<std::string> possible;
    for (const ResourceClass& c : machine.classes) possible.push_back(c.name);
    possible.emplace_back("links");
    throw InputError(owner_of(machine) + " has no class or option '" + setting.key + "'" +
                     suggest(setting.key, possible));
  }
  found->workers = parse_workers(owner_of(machine), setting);
}

void drop_empty_classes(Machine& machine) {
  std::erase_if(machine.classes, [](const ResourceClass& c) { return c.workers == 0; });
  if (machine.classes.empty()) throw InputError(owner_of(machine) + " has no worker left");
  const auto is_gone = [&](const ClassTime& time) {
    return std::ranges::find(machine.classes, time.class_name, &ResourceClass::name) == machine.classes.end();
  };
  for (KernelTiming& timing : machine.kernels) std::erase_if(timing.seconds, is_gone);
  std::erase_if(machine.kernels, [](const KernelTiming& timing) { return timing.seconds.empty(); });
}

NameSet memory_names(const Machine& machine) {
  NameSet names;
  const Platform platform(machine.classes);
  for (const Memory& memory : platform.memories()) names.insert(memory.name);
  return names;
}

/// Keeps the links between memories that exist, and the buses they need. `measured`: the memories that the links were
/// measured for; what comes on top would have none, and a guess is worse than an error.
void fit_links(Machine& machine, const NameSet& measured) {
  const Platform platform(machine.classes);
  for (const WorkerId worker : platform.workers()) {
    if (measured.contains(platform.memories()[platform.memory_of(worker)].name)) continue;
    throw InputError(owner_of(machine) + " has no measured links for worker " + platform.worker_name(worker) +
                     "; ask for fewer workers of class '" + platform.class_name(platform.class_of(worker)) +
                     "' or for links=off");
  }
  const NameSet memories = memory_names(machine);
  std::erase_if(machine.links,
                [&](const Link& link) { return !memories.contains(link.from) || !memories.contains(link.to); });
  NameSet used;
  for (const Link& link : machine.links) used.insert(link.via.begin(), link.via.end());
  std::erase_if(machine.buses, [&](const Bus& bus) { return !used.contains(bus.name); });
}

}  // namespace

std::uint32_t parse_workers(const std::string& owner, const Setting& setting) {
  constexpr std::uint64_t kMostWorkers = 1'000'000;
  const std::optional<std::uint64_t> count = parse_count(setting.value);
  if (!count || *count > kMostWorkers) {
    throw InputError(owner + ": the number of workers of class '" + setting.key + "' is '" + setting.value +
                     "'; expected a whole number in 0.." + std::to_string(kMostWorkers));
  }
  return static_cast<std::uint32_t>(*count);
}

void check_class_name(const std::string& owner, const std::string& name) {
  if (name == "cuda") throw InputError(owner + ": there is no class 'cuda'; did you mean 'gpu'?");
}

Machine configure(Machine machine, std::string_view settings, Links links) {
  const NameSet measured = memory_names(machine);
  for (const Setting& setting : parse_settings(owner_of(machine), settings)) {
    if (setting.key == "links") {
      links = parse_links(machine, setting.value);
    } else {
      set_workers(machine, setting);
    }
  }
  drop_empty_classes(machine);
  if (links == Links::off) {
    machine.links.clear();
    machine.buses.clear();
  }
  if (!machine.links.empty()) fit_links(machine, measured);
  return machine;
}

}  // namespace heddle::platforms
