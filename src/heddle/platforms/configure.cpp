#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/platforms/fit_links.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/platforms/worker_counts.hpp"

namespace heddle::platforms {
namespace {

std::string owner_of(const Machine& machine) {
  return "platform '" + machine.name + "'";
}

Links parse_links(const Machine& machine, const std::string& value) {
  if (value != "off" && value != "measured") {
    throw InputError(owner_of(machine) + ": option 'links' is '" + value + "'; expected off|measured" +
                     did_you_mean(value, std::vector<std::string>{"off", "measured"}));
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
  const std::vector<ResourceClass> measured = machine.classes;
  for (const Setting& setting : parse_settings(owner_of(machine), settings)) {
    if (setting.key == "links") {
      links = parse_links(machine, setting.value);
    } else {
      set_workers(machine, setting);
    }
  }
  const auto is_idle = [](const ResourceClass& c) { return c.workers == 0; };
  if (std::ranges::all_of(machine.classes, is_idle)) throw InputError(owner_of(machine) + " has no worker left");
  if (links == Links::off) {
    machine.links.clear();
    machine.buses.clear();
  }
  if (!machine.links.empty()) fit_links(owner_of(machine), measured, machine);
  return machine;
}

Machine without_idle_classes(Machine machine) {
  std::erase_if(machine.classes, [](const ResourceClass& c) { return c.workers == 0; });
  const auto is_gone = [&](const ClassTime& time) {
    return std::ranges::find(machine.classes, time.class_name, &ResourceClass::name) == machine.classes.end();
  };
  for (KernelTiming& timing : machine.kernels) std::erase_if(timing.seconds, is_gone);
  std::erase_if(machine.kernels, [](const KernelTiming& timing) { return timing.seconds.empty(); });
  return machine;
}

}  // namespace heddle::platforms
