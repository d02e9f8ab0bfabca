#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/workload/tile_task.hpp"

namespace heddle::workload {

/// The kernels of a tiled algorithm and where to look for them. One kernel can have been measured several times at the
/// same size, inside different applications (on StarPU's machines GEMM inside Cholesky, LU and matrix products), and
/// an algorithm takes what was measured inside itself.
struct KernelSet {
  std::string_view algorithm;
  std::span<const Kernel> kernels;
  /// Beginnings of the names of codelets (KernelTiming::codelet), best first. Entries without codelet come after them,
  /// entries of other codelets last.
  std::span<const std::string_view> families;
};

/// The size of a tile's side and the precision of its elements, "single" or "double".
struct TileSize {
  std::int64_t tile = 0;
  std::string precision;

  [[nodiscard]] std::int64_t bytes() const { return tile * tile * (precision == "double" ? 8 : 4); }
};

/// The machine's entry for a kernel that suits the algorithm best, or nothing; among equals the first in the file.
[[nodiscard]] const KernelTiming* find_timing(const Machine& machine, const KernelSet& set, Kernel kernel,
                                              const TileSize& size);

/// The size to use where the user left it open: among those at which the machine has every kernel of the set, double
/// precision if there is any, then tile 960 if there is, else the largest. Throws InputError that names a missing
/// kernel and what the machine has.
[[nodiscard]] TileSize choose_size(const Machine& machine, const KernelSet& set, std::optional<std::int64_t> tile,
                                   const std::optional<std::string>& precision);

}  // namespace heddle::workload
