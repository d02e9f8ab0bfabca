#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/model/task_graph.hpp"

namespace heddle::workload {

/// The kernels of tiled algorithms, named as in LAPACK and PLASMA. LU without pivoting solves with the upper factor
/// below the diagonal (TRSM_U) and with the lower factor right of it (TRSM_L).
enum class Kernel : std::uint8_t { potrf, trsm, syrk, gemm, getrf, trsm_u, trsm_l, geqrt, ormqr, tsqrt, tsmqr };

/// The name in platform files and task names: "POTRF", "TRSM_U".
[[nodiscard]] std::string_view to_string(Kernel kernel);

/// What a tile is part of: the matrices of C = A B, the matrix A that a factorization overwrites, or QR's V. V(k,k)
/// holds the Householder vectors of a diagonal tile (below its diagonal) while A(k,k) goes on as R (above it).
enum class Part : std::uint8_t { a, b, c, v };

struct TileRef {
  Part part;
  std::int32_t row;
  std::int32_t column;

  bool operator==(const TileRef&) const = default;
};

struct TileAccess {
  TileRef tile;
  AccessMode mode;
};

/// One call of a kernel on tiles: what the loops of a tiled algorithm hand to their visitor, which makes a node of a
/// graph or a real task of it. Accesses stand in the order of the kernel's arguments.
struct TileTask {
  static constexpr std::size_t kMaxAccesses = 3;

  Kernel kernel;
  std::int32_t row;     ///< of the tile that the task updates
  std::int32_t column;  ///< of the tile that the task updates
  std::int32_t step;    ///< iteration of the outermost loop (GEMM: of the innermost) that updates it
  std::array<TileAccess, kMaxAccesses> access;
  std::uint8_t access_count;

  [[nodiscard]] std::span<const TileAccess> accesses() const { return {access.data(), access_count}; }
};

/// The name that tells a task from all others of its graph: the kernel and the tile it updates, "TRSM(5,1)", and the
/// step where a kernel updates a tile more than once: "SYRK(5,5,1)", "GEMM(5,3,1)", "TSMQR(5,3,1)".
class TileTaskName {
 public:
  explicit TileTaskName(const TileTask& task);
  [[nodiscard]] std::string_view view() const { return {letters_.data(), size_}; }

 private:
  std::array<char, 48> letters_{};
  std::size_t size_ = 0;
};

}  // namespace heddle::workload
