#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/links.hpp"

namespace heddle::runtime {

/// The workers of a runtime: classes of CPU cores, of groups of them, or of devices.
struct WorkerClass {
  std::string name;
  Processor processor = Processor::cpu;
  std::uint32_t workers = 0;
  std::uint32_t cores = 1;  ///< of each worker; of a device, none

  [[nodiscard]] bool is_device() const { return cores == 0; }
};

/// Reads "cpu=2,cpu4=1,opencl=1": two workers of one core each, one that is a group of four, and a device; empty: a
/// worker per core; "auto": all accelerators, and a worker per core but for one that each of these keeps busy. Devices
/// come last. `backends`: kinds of devices besides those that Heddle has. Throws InputError that lists what there is.
[[nodiscard]] std::vector<WorkerClass> parse_workers(std::string_view text, std::size_t cores,
                                                     std::span<const std::shared_ptr<Backend>> backends = {});

/// The devices of the classes, in the order of the workers; accelerators before those that compute on the cores. Throws
/// InputError when there are not so many.
[[nodiscard]] std::vector<std::unique_ptr<Device>> open_devices(std::span<const WorkerClass> classes,
                                                                std::span<const std::shared_ptr<Backend>> backends);

/// The machine as policies see it; `speeds`: of the links of each device, or empty, and then data takes no time to
/// move. Policies for two classes run on any machine: where there is one class only, a second without workers follows
/// it.
[[nodiscard]] Platform platform_of(std::span<const WorkerClass> classes, std::span<const LinkSpeeds> speeds = {});

}  // namespace heddle::runtime
