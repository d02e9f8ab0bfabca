#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// Where what a transfer carries comes from, and what it is for: positions in Schedule::attempts.
struct TransferEnds {
  /// The completed attempt that wrote the datum last before the transfer started; nothing where none had.
  std::optional<std::size_t> writer{};
  /// The first attempt that reads this value where it arrived; nothing where none does, as when a datum goes home.
  std::optional<std::size_t> reader{};
};

/// By transfer. Takes any schedule, valid or not. O((n + accesses) log n) for n attempts and transfers.
[[nodiscard]] std::vector<TransferEnds> transfer_ends(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::analysis
