#include "tile_kernels.hpp"

#include <cblas.h>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/tiled_matrix.hpp"
#include "heddle/workload/tiled.hpp"

namespace heddle::bench {
namespace {

namespace blas = linalg::blas;

void potrf(const Tile& a) {
  if (const std::size_t row = blas::potrf(a); row != 0) throw linalg::Breakdown(row - 1, "is not positive definite");
}

}  // namespace

void cholesky_kernel(TypeId kernel, std::span<const ConstTile> read, const Tile& written) {
  using workload::Kernel;
  constexpr blas::Triangular kTransposed{blas::Side::right, blas::Triangle::lower, blas::Op::transposed,
                                         blas::Diagonal::stored};
  switch (workload::kernels_of(workload::Algorithm::cholesky).kernels[index(kernel)]) {
    case Kernel::potrf:
      return potrf(written);
    case Kernel::trsm:
      return blas::trsm(kTransposed, read[0], written);
    case Kernel::syrk:
      return blas::syrk(read[0], written);
    default:
      return blas::gemm(blas::Op::plain, blas::Op::transposed, -1.0, read[0], read[1], 1.0, written);
  }
}

void lapack_cholesky(const Tile& matrix, unsigned threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  potrf(matrix);
  openblas_set_num_threads(1);
}

}  // namespace heddle::bench
