#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// What this machine has to compute on, as far as a runtime can use it; or a kind of device that is not there.
struct Device {
  std::string kind;                ///< "cpu", "opencl", "cuda"
  std::string name;                ///< what it calls itself
  std::size_t cores = 0;           ///< of those the process may use
  std::uint64_t memory_bytes = 0;  ///< 0: unknown
  std::string missing;             ///< why there is none of this kind; empty: there is, and the rest tells of it
};

/// All kinds of devices.
[[nodiscard]] std::vector<Device> devices();

}  // namespace heddle::runtime
