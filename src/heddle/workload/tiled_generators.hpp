#pragma once

#include <vector>

#include "heddle/workload/tiled.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::workload {

/// The options `tile` and `precision` of workloads that take their durations from measured kernels.
[[nodiscard]] std::vector<Option> size_options();

/// What these options choose on a machine.
[[nodiscard]] TileSize chosen_size(const Options& options, const Machine& machine, Algorithm algorithm);

/// The most tiles in a row or column.
inline constexpr std::uint64_t kMaxTiles = 65'535;

}  // namespace heddle::workload
