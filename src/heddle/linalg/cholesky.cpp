#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/submit.hpp"
#include "heddle/workload/tiled_loops.hpp"

namespace heddle::linalg {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;

template <class T>
void cholesky(Runtime& runtime, TiledMatrix<T>& a) {
  check_square(a);
  const Kernels<T>& kernels = Kernels<T>::get();
  workload::visit_cholesky(a.tile_rows(), [&](const workload::TileTask& task) {
    const auto tile = [&](std::size_t i) -> const auto& {
      const workload::TileRef& ref = task.access[i].tile;
      return a(ref.row, ref.column);
    };
    const runtime::Named name = named(runtime, task);
    switch (task.kernel) {
      case workload::Kernel::potrf:
        runtime.submit(kernels.potrf, first_row(a, task.row), rw(tile(0)), name);
        return;
      case workload::Kernel::trsm:
        runtime.submit(kernels.trsm, blas::Triangular{Side::right, Triangle::lower, Op::transposed, Diagonal::stored},
                       read(tile(0)), rw(tile(1)), name);
        return;
      case workload::Kernel::syrk:
        runtime.submit(kernels.syrk, read(tile(0)), rw(tile(1)), name);
        return;
      default:
        runtime.submit(kernels.gemm, Product<T>{Op::plain, Op::transposed, -1, 1}, read(tile(0)), read(tile(1)),
                       rw(tile(2)), name);
    }
  });
}

template <class T>
void cholesky_solve(Runtime& runtime, const TiledMatrix<T>& a, TiledMatrix<T>& b) {
  check_square(a);
  triangular_solve(runtime, Triangle::lower, Op::plain, Diagonal::stored, a, b);
  triangular_solve(runtime, Triangle::lower, Op::transposed, Diagonal::stored, a, b);
}

template void cholesky(Runtime&, TiledMatrix<double>&);
template void cholesky(Runtime&, TiledMatrix<float>&);
template void cholesky_solve(Runtime&, const TiledMatrix<double>&, TiledMatrix<double>&);
template void cholesky_solve(Runtime&, const TiledMatrix<float>&, TiledMatrix<float>&);

}  // namespace heddle::linalg
