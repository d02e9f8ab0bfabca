#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

/// The cores of this machine that the process may use, as it was started with fewer perhaps (taskset, a batch system).
/// Hardware threads of a core count once.
class Cores {
 public:
  Cores();
  ~Cores();
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  /// At least 1.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// What the processor calls itself.
  [[nodiscard]] const std::string& model() const { return model_; }
  /// What tells this machine from others: the processor's name and the number of its cores, used by us or not.
  [[nodiscard]] std::string machine() const { return model_ + ", " + std::to_string(machine_count_) + " cores"; }
  /// Of all memory; 0 when unknown.
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  /// So many cores that no other runtime in this process has claimed, for as long as this lives. False when there are
  /// fewer.
  [[nodiscard]] bool claim(std::size_t count);
  /// Keeps the calling thread on a core that was claimed, from 0 on; where the system does not allow it, nothing
  /// happens.
  void bind_this_thread(std::size_t core) const;
  /// The socket (hwloc's package) of a core that was claimed, by its number in the system; nothing where there is no
  /// such core, or it is on no socket.
  [[nodiscard]] std::optional<std::size_t> socket_of(std::size_t core) const;
  /// The sockets that PCI devices are close to ("0000:06:00.0"); nothing for those that hwloc does not find, or that
  /// are close to several sockets. Looks for the devices of the machine, which takes some milliseconds.
  [[nodiscard]] static std::vector<std::optional<std::size_t>> sockets_of_devices(
      std::span<const std::string> pci_addresses);

 private:
  struct Topology;

  std::unique_ptr<const Topology> topology_;
  std::size_t count_ = 1;
  std::size_t machine_count_ = 1;
  std::vector<unsigned> claimed_;  ///< the first hardware thread of each, by its number in the system
  std::string model_ = "unknown processor";
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace heddle::runtime
