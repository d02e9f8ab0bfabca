#pragma once

#include <cstdint>

#include "heddle/model/ids.hpp"

namespace heddle {

/// How a task uses a datum. `commute`: read-write, in any order but never at once; `reduce`: read-write, may be
/// accumulated in private copies, so concurrently.
enum class AccessMode : std::uint8_t { read, write, read_write, commute, reduce };

/// Whether a task needs the present value of the datum; `reduce` starts a private copy of its own.
[[nodiscard]] constexpr bool reads(AccessMode mode) {
  return mode == AccessMode::read || mode == AccessMode::read_write || mode == AccessMode::commute;
}
/// Whether a task leaves a new value; what `reduce` leaves is a part of one.
[[nodiscard]] constexpr bool writes(AccessMode mode) {
  return mode == AccessMode::write || mode == AccessMode::read_write || mode == AccessMode::commute;
}

/// Whether accesses that follow each other on a datum form a group: none of its tasks waits for another one.
[[nodiscard]] constexpr bool is_grouped(AccessMode mode) {
  return mode == AccessMode::commute || mode == AccessMode::reduce;
}

struct Access {
  DataId data;
  AccessMode mode;

  bool operator==(const Access&) const = default;
};

}  // namespace heddle
