#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/option_list.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The kernels of a machine by tile and precision: "960 double" -> GEMM, POTRF, ...
std::map<std::string, std::set<std::string>> kernels_of(const Machine& machine) {
  std::map<std::string, std::set<std::string>> kernels;
  for (const KernelTiming& timing : machine.kernels) {
    if (!timing.kernel.empty()) kernels[timing.precision + " " + std::to_string(timing.tile)].insert(timing.kernel);
  }
  return kernels;
}

}  // namespace

int list_platforms(const ListOptions& options) {
  Json list = Json::array();
  for (const platforms::Entry& entry : platforms::entries()) {
    const Machine machine = platforms::resolve(entry.name);
    const auto kernels = kernels_of(machine);
    if (!options.json) {
      fmt::print("{} ({})\n    {}\n", entry.name, describe_workers(Platform(machine.classes)), entry.summary);
      for (const auto& [size, names] : kernels) {
        fmt::print("    {}: {}\n", size, join({names.begin(), names.end()}));
      }
      fmt::print("\n");
      continue;
    }
    Json classes = Json::array();
    for (const ResourceClass& c : machine.classes) classes.push_back({{"name", c.name}, {"workers", c.workers}});
    list.push_back({{"name", entry.name}, {"summary", entry.summary}, {"classes", classes}, {"kernels", kernels}});
  }
  if (options.json) print_json(list);
  return 0;
}

int list_workloads(const ListOptions& options) {
  print_entries(workload::entries(), options.json);
  return 0;
}

}  // namespace heddle::cli
