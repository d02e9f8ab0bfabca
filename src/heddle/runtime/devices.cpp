#include "heddle/runtime/devices.hpp"

#include "heddle/runtime/cores.hpp"

namespace heddle::runtime {

std::vector<Device> devices() {
  const Cores cores;
  const std::string not_yet = "this version of Heddle has no workers for such devices";
  return {{"cpu", cores.model(), cores.count(), cores.memory_bytes(), ""},
          {"opencl", "", 0, 0, not_yet},
          {"cuda", "", 0, 0, not_yet}};
}

}  // namespace heddle::runtime
