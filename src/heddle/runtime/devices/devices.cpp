#include "heddle/model/error.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/devices/backends.hpp"
#include "heddle/runtime/threads/cores.hpp"

namespace heddle::runtime {

DeviceInfo cpu() {
  const Cores cores;
  return {cores.model(), cores.count(), cores.memory_bytes(), false};
}

std::vector<DeviceKind> devices() {
  std::vector<DeviceKind> kinds{{"cpu", {cpu()}}};
  for (const std::string& name : backend_names()) {
    DeviceKind& kind = kinds.emplace_back(DeviceKind{name});
    try {
      kind.devices = find_backend(name)->devices();
    } catch (const InputError& error) {
      kind.missing = error.what();
    }
  }
  return kinds;
}

}  // namespace heddle::runtime
