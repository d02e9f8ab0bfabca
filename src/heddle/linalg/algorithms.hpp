#pragma once

#include <cstddef>
#include <vector>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/tiled_matrix.hpp"

/// Products, triangular systems and factorizations of matrices in tiles, as tasks of a runtime. T is double or float.
/// All functions submit tasks and return at once; what they are given must live until these have ended.
namespace heddle::linalg {

/// C := alpha A B + beta C. Throws InputError when the sizes of matrices or tiles do not fit.
template <class T>
void gemm(Runtime& runtime, T alpha, const TiledMatrix<T>& a, const TiledMatrix<T>& b, T beta, TiledMatrix<T>& c);

/// B := op(A)^-1 B, where A is the lower or upper triangle of the first columns() rows of `a`; rows of B beyond these
/// stay as they are. Throws InputError when B does not have the rows and tiles of
/// `a`.
template <class T>
void triangular_solve(Runtime& runtime, blas::Triangle triangle, blas::Op op, blas::Diagonal diagonal,
                      const TiledMatrix<T>& a, TiledMatrix<T>& b);

/// A = L L^T, where A is symmetric and positive definite, and only its lower triangle is looked at: L takes the place
/// of that. Runtime::wait() throws Breakdown where A is not positive definite. Throws InputError when A is not square.
template <class T>
void cholesky(Runtime& runtime, TiledMatrix<T>& a);

/// B := A^-1 B, where cholesky() has factorized A. Throws InputError when B does not have A's rows and tiles.
template <class T>
void cholesky_solve(Runtime& runtime, const TiledMatrix<T>& a, TiledMatrix<T>& b);

/// A = L U without pivoting, for matrices that need none, such as diagonally dominant ones: U takes the place of A's
/// upper triangle, L, whose diagonal is 1, that of the rest. Runtime::wait() throws Breakdown where a pivot is zero.
/// Throws InputError when A is not square.
template <class T>
void lu(Runtime& runtime, TiledMatrix<T>& a);

/// B := A^-1 B, where lu() has factorized A. Throws InputError when B does not have A's rows and tiles.
template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& a, TiledMatrix<T>& b);

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
