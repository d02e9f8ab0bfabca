#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/model/routes.hpp"
#include "heddle/model/time.hpp"
#include "heddle/runtime/data/buffer.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/kernel.hpp"

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

/// A device that is to be a worker.
struct DeviceChoice {
  std::shared_ptr<Backend> backend;
  std::size_t number = 0;  ///< among those of the backend
  std::string name;        ///< "cuda 0: NVIDIA H200", as histories call it
};

/// The devices of the classes, in the order of the workers; accelerators before those that compute on the cores. Throws
/// InputError when there are not so many.
[[nodiscard]] std::vector<DeviceChoice> choose_devices(std::span<const WorkerClass> classes,
                                                       std::span<const std::shared_ptr<Backend>> backends);
/// In the same order. Throws InputError when one cannot be used.
[[nodiscard]] std::vector<std::unique_ptr<Device>> open_devices(std::span<const DeviceChoice> chosen);

/// b bytes take latency + b / bandwidth.
struct LinkSpeed {
  Time latency = 0;
  double bandwidth = 0;  ///< bytes per second

  /// How long so many bytes take beside the latency. Of what was measured a double tells enough, at once.
  [[nodiscard]] Time moving(std::size_t bytes) const {
    const double time = std::ceil(static_cast<double>(bytes) / bandwidth * static_cast<double>(kSecond));
    return time < static_cast<double>(kLongestTransfer) ? static_cast<Time>(time) : kLongestTransfer;
  }
};

/// One direction between two memories, kHost and those of the devices, which follow in their order.
struct MemoryLink {
  MemoryId from;
  MemoryId to;
  LinkSpeed speed;
};

/// The machine as policies see it; without links data takes no time to move. Policies for two classes run on any
/// machine: where there is one class only, a second without workers follows it.
[[nodiscard]] Platform platform_of(std::span<const WorkerClass> classes, std::span<const MemoryLink> links = {});

}  // namespace heddle::runtime
