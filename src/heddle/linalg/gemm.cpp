#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/submit.hpp"
#include "heddle/workload/tiled_loops.hpp"

namespace heddle::linalg {

using blas::Op;

template <class T>
void gemm(Runtime& runtime, T alpha, const TiledMatrix<T>& a, const TiledMatrix<T>& b, T beta, TiledMatrix<T>& c) {
  if (a.rows() != c.rows() || b.columns() != c.columns() || a.columns() != b.rows()) {
    throw InputError("the matrices of a product have sizes that do not fit");
  }
  if (a.tile_size() != c.tile_size() || b.tile_size() != c.tile_size()) {
    throw InputError("the matrices of a product have unlike tiles");
  }
  if (a.columns() == 0) throw InputError("a product of matrices without columns and rows is not computed");
  const Kernels<T>& kernels = Kernels<T>::get();
  workload::visit_gemm(c.tile_rows(), c.tile_columns(), a.tile_columns(), [&](const workload::TileTask& task) {
    const T kept = task.step == 0 ? beta : T(1);
    runtime.submit(kernels.gemm, Product<T>{Op::plain, Op::plain, alpha, kept}, read(a(task.row, task.step)),
                   read(b(task.step, task.column)), rw(c(task.row, task.column)), named(runtime, task));
  });
}

template void gemm(Runtime&, double, const TiledMatrix<double>&, const TiledMatrix<double>&, double,
                   TiledMatrix<double>&);
template void gemm(Runtime&, float, const TiledMatrix<float>&, const TiledMatrix<float>&, float, TiledMatrix<float>&);

}  // namespace heddle::linalg
