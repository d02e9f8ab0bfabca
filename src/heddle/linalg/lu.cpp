#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/submit.hpp"
#include "heddle/workload/tiled_loops.hpp"

namespace heddle::linalg {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;
using blas::Triangular;
using workload::Kernel;

template <class T>
void lu(Runtime& runtime, TiledMatrix<T>& a) {
  check_square(a);
  const Kernels<T>& kernels = Kernels<T>::get();
  workload::visit_lu(a.tile_rows(), [&](const workload::TileTask& task) {
    const auto tile = [&](std::size_t i) -> const auto& {
      const workload::TileRef& ref = task.access[i].tile;
      return a(ref.row, ref.column);
    };
    const runtime::Named name = named(runtime, task);
    switch (task.kernel) {
      case Kernel::getrf:
        runtime.submit(kernels.getrf, first_row(a, task.row), rw(tile(0)), name);
        return;
      case Kernel::trsm_u:
        runtime.submit(kernels.trsm_u, Triangular{Side::right, Triangle::upper, Op::plain, Diagonal::stored},
                       read(tile(0)), rw(tile(1)), name);
        return;
      case Kernel::trsm_l:
        runtime.submit(kernels.trsm_l, Triangular{Side::left, Triangle::lower, Op::plain, Diagonal::unit},
                       read(tile(0)), rw(tile(1)), name);
        return;
      default:
        runtime.submit(kernels.gemm, Product<T>{Op::plain, Op::plain, -1, 1}, read(tile(0)), read(tile(1)), rw(tile(2)),
                       name);
    }
  });
}

template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& a, TiledMatrix<T>& b) {
  check_square(a);
  triangular_solve(runtime, Triangle::lower, Op::plain, Diagonal::unit, a, b);
  triangular_solve(runtime, Triangle::upper, Op::plain, Diagonal::stored, a, b);
}

template void lu(Runtime&, TiledMatrix<double>&);
template void lu(Runtime&, TiledMatrix<float>&);
template void lu_solve(Runtime&, const TiledMatrix<double>&, TiledMatrix<double>&);
template void lu_solve(Runtime&, const TiledMatrix<float>&, TiledMatrix<float>&);

}  // namespace heddle::linalg
