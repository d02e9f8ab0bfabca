#pragma once

#include <span>
#include <string_view>

#include "heddle/model/machine.hpp"
#include "heddle/runtime/history.hpp"

namespace heddle::runtime {

/// This machine as a platform: such workers ("cpu=2,cpu2=1"; empty: one per core) and what was measured of kernels on
/// square tiles. A kernel's tile is N x N when all its data have N columns and the largest of them has N rows; QR's
/// factors have less. What was measured of other data has no place in it. It has links when all of its devices' were
/// measured. Throws InputError when there are no such workers.
[[nodiscard]] Machine measured_machine(std::span<const Measured> entries, std::span<const MeasuredLink> links,
                                       std::string_view workers);

}  // namespace heddle::runtime
