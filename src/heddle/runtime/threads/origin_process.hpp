#pragma once

#include <cstdint>

namespace heddle::runtime {

/// The process in which this was made. A child after fork() has its memory, but none of its threads.
class OriginProcess {
 public:
  OriginProcess();

  /// Whether the calling process is that one. Costs a load.
  [[nodiscard]] bool is_this() const;

 private:
  std::uint64_t forks_;  ///< that led to it
};

}  // namespace heddle::runtime
