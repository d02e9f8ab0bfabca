#pragma once

#include <vector>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/tiled_matrix.hpp"

/// Matrices of at least as many rows as columns. T is double or float. All functions submit tasks and return at once;
/// what they are given must live until these have ended.
namespace heddle::linalg {

/// What makes up Q together with the matrix that qr() has factorized: V of the diagonal tiles, and the triangular
/// factor T of every tile on and below the diagonal.
template <class T>
class Reflectors {
 public:
  using Tile = runtime::Data<Matrix<T>>;

  /// Room for those of a matrix of this form.
  Reflectors(Runtime& runtime, const TiledMatrix<T>& a);

  /// Whether they are of a matrix of this form.
  [[nodiscard]] bool fit(const TiledMatrix<T>& a) const {
    return rows_ == a.rows() && columns_ == a.columns() && tile_size_ == a.tile_size();
  }
  [[nodiscard]] const Tile& v(std::int32_t k) const { return v_[static_cast<std::size_t>(k)].datum; }
  /// Of tile (m, k), m >= k.
  [[nodiscard]] const Tile& t(std::int32_t m, std::int32_t k) const {
    return t_[static_cast<std::size_t>(k)][static_cast<std::size_t>(m - k)].datum;
  }

 private:
  struct Owned {
    Owned(Runtime& runtime, std::size_t rows, std::size_t columns);

    std::vector<T> memory;
    Tile datum;
  };

  std::size_t rows_;
  std::size_t columns_;
  std::size_t tile_size_;
  std::vector<Owned> v_;               ///< by tile column
  std::vector<std::vector<Owned>> t_;  ///< by tile column, from the diagonal down
};

/// A = Q R with a flat reduction tree (A. Buttari, J. Langou, J. Kurzak, J. Dongarra, "A class of parallel tiled linear
/// algebra algorithms for multicore architectures", Parallel Computing 35(1), 2009, doi:10.1016/j.parco.2008.10.002): R
/// takes the place of A's upper triangle, the rest of A and what is returned are Q. Throws InputError when A has fewer
/// rows than columns.
template <class T>
[[nodiscard]] Reflectors<T> qr(Runtime& runtime, TiledMatrix<T>& a);

/// B := op(Q) B, where qr() has factorized A. Throws InputError when B does not have A's rows and tiles, or Q is not of
/// such a matrix.
template <class T>
void apply_q(Runtime& runtime, blas::Op op, const TiledMatrix<T>& a, const Reflectors<T>& q, TiledMatrix<T>& b);

/// The first columns() rows of B become X that minimizes ||A X - B|| (the solution where A is square); the norm of what
/// is below them is the minimum. Throws InputError as apply_q().
template <class T>
void qr_solve(Runtime& runtime, const TiledMatrix<T>& a, const Reflectors<T>& q, TiledMatrix<T>& b);

}  // namespace heddle::linalg
