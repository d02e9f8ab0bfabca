#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/report/format.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using runtime::DeviceInfo;
using runtime::DeviceKind;

void add_json(Json& list, const DeviceKind& kind) {
  if (kind.devices.empty()) list.push_back({{"kind", kind.name}, {"found", false}, {"reason", kind.missing}});
  for (std::size_t number = 0; number < kind.devices.size(); ++number) {
    const DeviceInfo& device = kind.devices[number];
    list.push_back({{"kind", kind.name},
                    {"number", number},
                    {"found", true},
                    {"name", device.name},
                    {"cores", device.cores},
                    {"memory_bytes", device.memory_bytes},
                    {"accelerator", device.is_accelerator}});
  }
}

std::string describe(const DeviceInfo& device) {
  const std::string memory =
      device.memory_bytes == 0 ? "" : ", " + report::format_bytes(static_cast<std::int64_t>(device.memory_bytes));
  return fmt::format("{}, {}{}{}", device.name, report::format_count(device.cores, "core"), memory,
                     device.is_accelerator ? ", accelerator" : "");
}

void print(const DeviceKind& kind) {
  if (kind.devices.empty()) fmt::print("{:<8}none: {}\n", kind.name, kind.missing);
  for (const DeviceInfo& device : kind.devices) fmt::print("{:<8}{}\n", kind.name, describe(device));
}

}  // namespace

int list_devices(const ListOptions& options) {
  Json list = Json::array();
  for (const DeviceKind& kind : runtime::devices()) {
    if (options.json) {
      add_json(list, kind);
    } else {
      print(kind);
    }
  }
  if (options.json) print_json(list);
  return 0;
}

}  // namespace heddle::cli
