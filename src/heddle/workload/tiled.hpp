#pragma once

#include <cstdint>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/workload/kernel_times.hpp"
#include "heddle/workload/tiled_loops.hpp"

namespace heddle::workload {

/// The tiled algorithms: the factorizations of a square matrix, and the matrix product.
enum class Algorithm : std::uint8_t { cholesky, lu, qr, gemm };

/// Numbers of tiles: C is rows x columns, A rows x inner. A factorization is of a square A: all three are equal.
struct TileCounts {
  std::int32_t rows = 1;
  std::int32_t columns = 1;
  std::int32_t inner = 1;

  [[nodiscard]] static constexpr TileCounts square(std::int32_t tiles) { return {tiles, tiles, tiles}; }
};

/// The kernels of an algorithm, in the order in which they become types of its graph.
[[nodiscard]] const KernelSet& kernels_of(Algorithm algorithm);

/// How many tasks of each kernel there are, in the order of kernels_of, without making them; below 2^64 for counts
/// below 2^20.
[[nodiscard]] std::vector<std::uint64_t> kernel_counts(Algorithm algorithm, const TileCounts& counts);

/// Calls visit(const TileTask&) for every task in submission order (tiled_loops.hpp).
template <class Visit>
void visit_tasks(Algorithm algorithm, const TileCounts& counts, Visit&& visit) {
  switch (algorithm) {
    case Algorithm::cholesky:
      return visit_cholesky(counts.rows, visit);
    case Algorithm::lu:
      return visit_lu(counts.rows, visit);
    case Algorithm::qr:
      return visit_qr(counts.rows, counts.columns, visit);
    case Algorithm::gemm:
      return visit_gemm(counts.rows, counts.columns, counts.inner, visit);
  }
}

/// The graph of an algorithm with one datum per tile (two on QR's diagonal), types named like the kernels and
/// priorities left at 0. `tile_bytes`: size of each datum.
[[nodiscard]] TaskGraph tiled_graph(Algorithm algorithm, const TileCounts& counts, std::int64_t tile_bytes);

/// Durations of the algorithm's types at this size, one row per kernel; a class without a time cannot run the kernel.
[[nodiscard]] Costs tiled_costs(const TaskGraph& graph, Algorithm algorithm, const TileSize& size,
                                const Machine& machine);

}  // namespace heddle::workload
