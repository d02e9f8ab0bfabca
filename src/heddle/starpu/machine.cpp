#include "heddle/starpu/machine.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace heddle::starpu {
namespace {

bool is_cpu(int worker) {
  return starpu_worker_get_type(worker) == STARPU_CPU_WORKER;
}

/// What the device's name has in parentheses, up to its first number with a point: its memory.
std::string model_of(int worker) {
  std::array<char, 256> name{};
  starpu_worker_get_name(worker, name.data(), name.size());
  std::string inside(name.data());
  inside.erase(0, inside.find('(') == std::string::npos ? inside.size() : inside.find('(') + 1);
  std::istringstream words(inside.substr(0, inside.rfind(')')));
  std::string model;
  for (std::string word; words >> word && word.find('.') == std::string::npos;) model += " " + word;
  return model;
}

std::string class_name(int worker, bool splits_cpus) {
  if (is_cpu(worker)) return splits_cpus && worker % 2 == 1 ? "other" : "cpu";
  // "OpenCL", or "STARPU_OPENCL_WORKER"
  std::string type = starpu_worker_get_type_as_string(starpu_worker_get_type(worker));
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string word : {"starpu_", "_worker"}) {
    if (const std::size_t at = type.find(word); at != std::string::npos) type.erase(at, word.size());
  }
  return type.substr(0, type.find(' ')) + model_of(worker);
}

/// What StarPU measured; where it did not, some usual value.
Link link(const Platform& platform, const Table<MemoryId, unsigned>& nodes, MemoryId from, MemoryId to) {
  constexpr double kUsualBandwidth = 1e4;  // bytes per microsecond
  constexpr double kUsualLatency = 10;     // microseconds
  const double bandwidth = starpu_transfer_bandwidth(nodes[from], nodes[to]);
  const double latency = starpu_transfer_latency(nodes[from], nodes[to]);
  return {.from = platform.memories()[from].name,
          .to = platform.memories()[to].name,
          .bandwidth = 1e6 * (bandwidth > 0 ? bandwidth : kUsualBandwidth),
          .latency = static_cast<Time>((latency > 0 ? latency : kUsualLatency) * static_cast<double>(kMicrosecond)),
          .via = {}};
}

/// Between all memories.
std::vector<Link> links(const Platform& platform, const Table<MemoryId, unsigned>& nodes) {
  std::vector<Link> links;
  for (const MemoryId from : nodes.ids()) {
    for (const MemoryId to : nodes.ids()) {
      if (from != to) links.push_back(link(platform, nodes, from, to));
    }
  }
  return links;
}

}  // namespace

std::optional<WorkerId> Machine::this_worker() const {
  const int number = starpu_worker_get_id();
  if (number < 0 || static_cast<std::size_t>(number) >= here.size()) return std::nullopt;
  return here[static_cast<std::size_t>(number)];
}

Machine read_machine(bool splits_cpus) {
  // CPU cores come first, and then the order is of names.
  std::map<std::pair<bool, std::string>, std::vector<int>> classes;
  const int count = static_cast<int>(starpu_worker_get_count());
  for (int worker = 0; worker < count; ++worker) {
    classes[{!is_cpu(worker), class_name(worker, splits_cpus)}].push_back(worker);
  }
  Machine machine;
  machine.here.assign(static_cast<std::size_t>(count), kNone<WorkerId>);
  std::vector<ResourceClass> made;
  // Without cores, too, data is in the main memory at first.
  const auto is_device = [](const auto& one) { return one.first.first; };
  if (std::ranges::all_of(classes, is_device)) made.push_back({.name = "cpu"});
  for (const auto& [key, workers] : classes) {
    const auto& [has_memory, name] = key;
    made.push_back({.name = name, .workers = static_cast<std::uint32_t>(workers.size())});
    if (has_memory) made.back().memory = ResourceClass::kEach;
    for (const int worker : workers) {
      machine.here[static_cast<std::size_t>(worker)] = machine.there.push_back(worker);
      machine.asks_early.push_back(has_memory);
    }
  }
  machine.platform = Platform(made);
  const Platform& platform = machine.platform;
  machine.nodes = Table<MemoryId, unsigned>(platform.memories().size(), STARPU_MAIN_RAM);
  for (const WorkerId worker : platform.workers()) {
    machine.nodes[platform.memory_of(worker)] =
        starpu_worker_get_memory_node(static_cast<unsigned>(machine.there[worker]));
  }
  if (platform.memories().size() > 1) machine.platform = Platform(std::move(made), links(platform, machine.nodes));
  return machine;
}

}  // namespace heddle::starpu
