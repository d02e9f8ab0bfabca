#include "heddle/runtime/threads/workers.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/runtime/devices/backends.hpp"

namespace heddle::runtime {
namespace {

constexpr std::string_view kCores = "cpu";
constexpr const char* kAccelerators = "gpu";
constexpr std::uint64_t kMostWorkers = 1024;  // threads, not numbers: more would not fit any machine

/// The cores of a worker: 1 for "cpu", n for "cpun"; nothing when the class is none of CPU cores.
std::optional<std::uint64_t> group_size(const std::string& name) {
  if (name == kCores) return 1;
  if (!name.starts_with(kCores)) return std::nullopt;
  const std::optional<std::uint64_t> size = parse_count(std::string_view(name).substr(kCores.size()));
  if (!size || *size < 2 || *size > kMostWorkers || name[kCores.size()] == '0') return std::nullopt;
  return size;
}

using Backends = std::span<const std::shared_ptr<Backend>>;

const std::shared_ptr<Backend>* find_own(const std::string& name, Backends backends) {
  const auto found = std::ranges::find(backends, name, [](const auto& backend) { return backend->name(); });
  return found == backends.end() ? nullptr : &*found;
}

/// A class of that name, without workers. Throws InputError when there is none.
WorkerClass class_of(const std::string& name, Backends backends) {
  if (const std::shared_ptr<Backend>* own = find_own(name, backends)) return {name, (*own)->processor(), 0, 0};
  if (std::ranges::count(backend_names(), name) > 0) {
    return {name, name == "cuda" ? Processor::cuda : Processor::opencl, 0, 0};
  }
  const std::optional<std::uint64_t> size = group_size(name);
  if (size) return {name, Processor::cpu, 0, static_cast<std::uint32_t>(*size)};
  std::vector<std::string> names{"cpu", "cpu2"};
  names.insert(names.end(), backend_names().begin(), backend_names().end());
  for (const auto& backend : backends) names.push_back(backend->name());
  throw InputError("workers: there is no class '" + name + "'" + suggest(name, names));
}

std::shared_ptr<Backend> backend_of(const std::string& name, Backends backends) {
  const std::shared_ptr<Backend>* own = find_own(name, backends);
  return own != nullptr ? *own : find_backend(name);
}

/// The same; the message, where there is none, says who asked.
std::shared_ptr<Backend> backend_there(const std::string& name, Backends backends) {
  try {
    return backend_of(name, backends);
  } catch (const InputError& error) {
    throw InputError("workers: class '" + name + "': " + error.what());
  }
}

/// All accelerators of this machine, and its cores but for one that each of them keeps busy.
std::vector<WorkerClass> whole_machine(std::size_t cores, Backends backends) {
  std::vector<std::string> names = backend_names();
  for (const auto& backend : backends) names.push_back(backend->name());
  std::vector<WorkerClass> classes{{"cpu", Processor::cpu, static_cast<std::uint32_t>(cores)}};
  for (const std::string& name : names) {
    WorkerClass one = class_of(name, backends);
    try {
      const std::vector<DeviceInfo> devices = backend_of(name, backends)->devices();
      one.workers = static_cast<std::uint32_t>(std::ranges::count(devices, true, &DeviceInfo::is_accelerator));
    } catch (const InputError&) {
      continue;  // there are none
    }
    if (one.workers == 0) continue;
    classes.front().workers -= std::min(classes.front().workers - 1, one.workers);
    classes.push_back(std::move(one));
  }
  return classes;
}

}  // namespace

std::vector<WorkerClass> parse_workers(std::string_view text, std::size_t cores, Backends backends) {
  if (text.empty()) return {{"cpu", Processor::cpu, static_cast<std::uint32_t>(cores)}};
  if (text == "auto") return whole_machine(cores, backends);
  if (("," + std::string(text) + ",").find(",auto,") != std::string::npos) {
    throw InputError("workers: 'auto' is the whole machine; expected it alone, or classes such as cpu=2,opencl=1");
  }
  std::vector<WorkerClass> classes;
  for (const Setting& setting : parse_settings("workers", text)) {
    WorkerClass one = class_of(setting.key, backends);
    const std::optional<std::uint64_t> count = parse_count(setting.value);
    if (!count || *count == 0 || *count > kMostWorkers) {
      throw InputError("workers: the number of workers of class '" + setting.key + "' is '" + setting.value +
                       "'; expected a whole number in 1.." + std::to_string(kMostWorkers));
    }
    one.workers = static_cast<std::uint32_t>(*count);
    classes.push_back(std::move(one));
  }
  std::ranges::stable_partition(classes, [](const WorkerClass& one) { return !one.is_device(); });
  return classes;
}

std::vector<DeviceChoice> choose_devices(std::span<const WorkerClass> classes, Backends backends) {
  std::vector<DeviceChoice> chosen;
  for (const WorkerClass& one : classes) {
    if (!one.is_device()) continue;
    const std::shared_ptr<Backend> backend = backend_there(one.name, backends);
    const std::vector<DeviceInfo> there = backend->devices();
    if (one.workers > there.size()) {
      throw InputError("workers: this machine has " + std::to_string(there.size()) +
                       (there.size() == 1 ? " device" : " devices") + " of class '" + one.name + "', not " +
                       std::to_string(one.workers));
    }
    std::vector<std::size_t> numbers(there.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::ranges::stable_partition(numbers, [&](std::size_t number) { return there[number].is_accelerator; });
    numbers.resize(one.workers);
    for (const std::size_t number : numbers) {
      chosen.push_back({backend, number, one.name + ' ' + std::to_string(number) + ": " + there[number].name});
    }
  }
  return chosen;
}

std::vector<std::unique_ptr<Device>> open_devices(std::span<const DeviceChoice> chosen) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceChoice& choice : chosen) devices.push_back(choice.backend->open(choice.number));
  return devices;
}

Platform platform_of(std::span<const WorkerClass> classes, std::span<const MemoryLink> links) {
  std::vector<ResourceClass> resources;
  for (const WorkerClass& one : classes) {
    resources.push_back({one.name, one.workers});
    if (one.is_device()) resources.back().memory = ResourceClass::kEach;
  }
  if (resources.size() == 1) resources.push_back({kAccelerators, 0});
  // The memories of devices are named like the workers, which a platform without links tells.
  Platform platform(resources);
  if (links.empty()) return platform;
  std::vector<std::string> names{"ram"};
  for (const WorkerId worker : platform.workers()) {
    if (platform.resource_class(platform.class_of(worker)).memory != ResourceClass::kEach) continue;
    names.push_back(platform.memories()[platform.memory_of(worker)].name);
  }
  std::vector<Link> named;
  for (const auto& [from, to, speed] : links) {
    named.push_back({names[index(from)], names[index(to)], speed.bandwidth, speed.latency, {}});
  }
  return Platform(std::move(resources), std::move(named));
}

}  // namespace heddle::runtime
