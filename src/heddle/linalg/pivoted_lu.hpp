#pragma once

#include <vector>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/tiled_matrix.hpp"

/// Square matrices. T is double or float. All functions submit tasks and return at once; what they are given must live
/// until these have ended.
namespace heddle::linalg {

/// Which rows a factorization with partial pivoting exchanged.
class Pivots {
 public:
  using Datum = runtime::Data<std::span<blas::Pivot>>;

  /// Room for those of a square matrix of this order, `tile_size` for each tile column.
  Pivots(Runtime& runtime, std::size_t order, std::size_t tile_size);
  Pivots(Pivots&&) = default;
  /// Waits for the tasks that use what is replaced.
  Pivots& operator=(Pivots&& other) noexcept;
  ~Pivots() = default;

  /// Those of tile column k, counted from its diagonal tile on, for tasks.
  [[nodiscard]] const Datum& operator()(std::int32_t k) const { return data_[static_cast<std::size_t>(k)]; }
  /// All of them as LAPACK has them, counted from the first row of the matrix; after Runtime::wait().
  [[nodiscard]] std::vector<blas::Pivot> all() const;
  /// Whether they are of a matrix of such an order in such tiles.
  [[nodiscard]] bool fit(std::size_t order, std::size_t tile_size) const {
    return order == memory_.size() && tile_size == tile_size_;
  }

 private:
  std::size_t tile_size_;
  std::vector<blas::Pivot> memory_;
  std::vector<Datum> data_;
};

/// P A = L U with partial pivoting, the same as LAPACK's: U takes the place of A's upper triangle, L, whose diagonal is
/// 1, that of the rest. Runtime::wait() throws Breakdown where A is singular. Throws InputError when A is not square.
///
/// For each tile column k: GETRF_PIVOTED factorizes all its tiles from the diagonal down in one task; then in every
/// other column n, LASWP exchanges the rows as it did, and right of k, TRSM_L and GEMM update the column as in lu().
template <class T>
[[nodiscard]] Pivots pivoted_lu(Runtime& runtime, TiledMatrix<T>& a);

/// B := A^-1 B, where pivoted_lu() has factorized A. Throws InputError when B does not have A's rows and tiles, or the
/// pivots are not of such a matrix.
template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& a, const Pivots& pivots, TiledMatrix<T>& b);

}  // namespace heddle::linalg
