#pragma once

#include <cstdint>

namespace heddle::host {

/// How far a task has come.
enum class Status : std::uint8_t {
  waiting,  ///< for predecessors, or for a datum that it commutes on
  ready,    ///< and the policy was told so
  running,  ///< given to a worker, where it may wait for its data
  done,
};

}  // namespace heddle::host
