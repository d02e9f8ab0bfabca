#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "problem.hpp"

namespace heddle::bench {

/// The lower triangle of a square matrix in tiles that lie in one piece each, and its Cholesky factorization as a
/// problem. The last row and column of tiles may be smaller.
class TiledMatrix {
 public:
  TiledMatrix(std::size_t n, std::size_t tile_size);

  /// Copies the lower triangle of a matrix.
  void assign(const ConstTile& values);
  /// Between elements of the lower triangles.
  [[nodiscard]] double largest_difference(const ConstTile& values) const;

  [[nodiscard]] std::size_t tile_size() const { return tile_size_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// What all kernels of the problem have taken since the last call, in seconds.
  [[nodiscard]] double take_kernel_seconds() { return 1e-9 * static_cast<double>(in_kernels_.exchange(0)); }

 private:
  /// A tile, and where in the matrix it begins.
  struct Part {
    std::size_t row;
    std::size_t column;
    Tile tile;
  };

  void make_problem(std::int32_t tiles);

  std::size_t tile_size_;
  std::unique_ptr<double[]> memory_;
  std::vector<Part> parts_;                  ///< row by row
  std::atomic<std::int64_t> in_kernels_{0};  ///< nanoseconds
  Problem problem_;
};

}  // namespace heddle::bench
