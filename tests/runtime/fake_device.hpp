#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/policy/policy.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/device_first.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {

/// Devices whose memory is the program's, of other addresses, and whose queues are threads: everything ends later, and
/// whatever a test wants goes wrong. They run native implementations for OpenCL.
class FakeBackend final : public Backend {
 public:
  enum class Operation : std::uint8_t { copy_in, copy_out, copy_from, run };
  struct Options {
    std::size_t devices = 1;
    std::uint64_t memory_bytes = std::uint64_t{1} << 20;  ///< of each
    /// Of each operation, at most; it takes a random part of it.
    std::chrono::microseconds delay{0};
    /// Whether the operation of a device fails, the `number`th of all after start_failing().
    std::function<bool(Operation operation, std::size_t number, std::size_t device)> fails{};
    /// Whether memory is refused that there is, the `number`th that is asked for after start_failing().
    std::function<bool(std::size_t number)> refuses{};
    /// Called before each operation that is carried out after start_failing(), on the queue's thread.
    std::function<void(Operation)> before{};
    bool connected = false;        ///< they copy from each other
    std::size_t side_by_side = 1;  ///< so many kernels of a device may run at once
    std::string name = "a fake";
    std::vector<std::string> pci_addresses{};  ///< of the devices; empty: unknown
  };
  struct Counts {
    std::atomic<std::size_t> operations{0};
    std::atomic<std::size_t> kernels{0};
    std::atomic<std::size_t> copies{0};
    std::atomic<std::size_t> direct_copies{0};
    std::atomic<std::size_t> failures{0};  ///< of operations that were to fail
    std::atomic<std::size_t> asked{0};     ///< for memory, while some may be refused
    std::atomic<std::size_t> refusals{0};  ///< of it
    std::atomic<std::uint64_t> bytes{0};   ///< allocated now
    std::atomic<std::uint64_t> most_bytes{0};
    std::atomic<std::uint64_t> pinned_bytes{0};  ///< now
  };

  explicit FakeBackend(Options options) : options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] Processor processor() const override { return Processor::opencl; }
  [[nodiscard]] std::vector<DeviceInfo> devices() const override;
  [[nodiscard]] std::unique_ptr<Device> open(std::size_t number) override;

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// From now on; not while links are measured.
  void start_failing() { fails_ = true; }

 private:
  class FakeDevice;

  Options options_;
  std::atomic<bool> fails_{false};
  Counts counts_;
};

[[nodiscard]] inline std::shared_ptr<FakeBackend> fake(FakeBackend::Options options = {}) {
  return std::make_shared<FakeBackend>(std::move(options));
}

/// A runtime with workers on its devices ("fake=2"), which is traced and keeps no history.
inline Config with(const std::shared_ptr<FakeBackend>& backend, const std::string& workers, const std::string& policy) {
  return {.workers = workers, .backends = {backend}, .policy = policy, .trace = true, .history = ""};
}

/// As above, with a core and a device, which is given every task that it can run.
inline Config device_first(const std::shared_ptr<FakeBackend>& backend) {
  Config config = with(backend, "cpu=1,fake=1", "eager");
  config.decider = policy::Policy(DeviceFirst());
  return config;
}

}  // namespace heddle::runtime
