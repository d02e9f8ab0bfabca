#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle::runtime {

/// The cores of this machine that the process may use. Hardware threads of a core count once.
class Cores {
 public:
  Cores();

  /// At least 1.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// What the processor calls itself.
  [[nodiscard]] const std::string& model() const { return model_; }
  /// What tells this machine from others: the processor's name and the number of its cores.
  [[nodiscard]] std::string machine() const { return model_ + ", " + std::to_string(count_) + " cores"; }
  /// Of all memory; 0 when unknown.
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  /// Keeps the calling thread on a core, from 0 on; where the system does not allow it, nothing happens.
  void bind_this_thread(std::size_t core) const;

 private:
  struct Topology;

  std::shared_ptr<const Topology> topology_;
  std::size_t count_ = 1;
  std::string model_ = "unknown processor";
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace heddle::runtime
