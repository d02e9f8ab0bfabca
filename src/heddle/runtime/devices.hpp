#pragma once

#include <string>
#include <vector>

#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

/// The devices of one kind that this machine has, or why it has none.
struct DeviceKind {
  std::string name;                   ///< "cpu", "opencl", "cuda"
  std::vector<DeviceInfo> devices{};  ///< by number
  std::string missing{};              ///< why there are none
};

/// The cores of the CPU that the process may use.
[[nodiscard]] DeviceInfo cpu();

/// All kinds, the CPU first.
[[nodiscard]] std::vector<DeviceKind> devices();

}  // namespace heddle::runtime
