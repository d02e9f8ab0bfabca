#include "heddle/runtime/devices.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using runtime::Device;

Json to_json(const Device& device) {
  if (!device.missing.empty()) return {{"kind", device.kind}, {"found", false}, {"reason", device.missing}};
  return {{"kind", device.kind},
          {"found", true},
          {"name", device.name},
          {"cores", device.cores},
          {"memory_bytes", device.memory_bytes}};
}

std::string describe(const Device& device) {
  if (!device.missing.empty()) return "none: " + device.missing;
  const std::string memory =
      device.memory_bytes == 0 ? "" : ", " + report::format_bytes(static_cast<std::int64_t>(device.memory_bytes));
  return fmt::format("{}, {} {}{}", device.name, device.cores, device.cores == 1 ? "core" : "cores", memory);
}

}  // namespace

int list_devices(const ListOptions& options) {
  Json list = Json::array();
  for (const Device& device : runtime::devices()) {
    if (options.json) {
      list.push_back(to_json(device));
    } else {
      fmt::print("{:<8}{}\n", device.kind, describe(device));
    }
  }
  if (options.json) print_json(list);
  return 0;
}

}  // namespace heddle::cli
