#pragma once

#include <cstddef>
#include <memory>

namespace heddle::runtime {

/// The cores of this machine that the process may use. Hardware threads of a core count once.
class Cores {
 public:
  Cores();

  /// At least 1.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Keeps the calling thread on a core, from 0 on; where the system does not allow it, nothing happens.
  void bind_this_thread(std::size_t core) const;

 private:
  struct Topology;

  std::shared_ptr<const Topology> topology_;
  std::size_t count_ = 1;
};

}  // namespace heddle::runtime
