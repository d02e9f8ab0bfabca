#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/submit.hpp"
#include "heddle/workload/tiled_loops.hpp"

namespace heddle::linalg {

using blas::Op;
using workload::Kernel;

template <class T>
Reflectors<T>::Owned::Owned(Runtime& runtime, std::size_t rows, std::size_t columns)
    : memory(rows * columns), datum(runtime.data(Matrix<T>{memory.data(), rows, columns, rows})) {}

template <class T>
Reflectors<T>::Reflectors(Runtime& runtime, const TiledMatrix<T>& a)
    : rows_(a.rows()), columns_(a.columns()), tile_size_(a.tile_size()) {
  for (std::int32_t k = 0; k < a.tile_columns(); ++k) {
    const std::size_t width = a.view(k, k).columns;
    v_.emplace_back(runtime, a.view(k, k).rows, width);
    t_.emplace_back();
    for (std::int32_t m = k; m < a.tile_rows(); ++m) t_.back().emplace_back(runtime, inner_block(width), width);
  }
}

template <class T>
Reflectors<T> qr(Runtime& runtime, TiledMatrix<T>& a) {
  if (a.rows() < a.columns()) throw InputError("the matrix to factorize has fewer rows than columns");
  const Kernels<T>& kernels = Kernels<T>::get();
  Reflectors<T> q(runtime, a);
  workload::visit_qr(a.tile_rows(), a.tile_columns(), [&](const workload::TileTask& task) {
    const std::int32_t m = task.row;
    const std::int32_t n = task.column;
    const std::int32_t k = task.step;
    const runtime::Named name = named(runtime, task);
    switch (task.kernel) {
      case Kernel::geqrt:
        runtime.submit(kernels.geqrt, rw(a(k, k)), write(q.v(k)), write(q.t(k, k)), name);
        return;
      case Kernel::ormqr:
        runtime.submit(kernels.ormqr, Op::transposed, read(q.v(k)), read(q.t(k, k)), rw(a(k, n)), name);
        return;
      case Kernel::tsqrt:
        runtime.submit(kernels.tsqrt, rw(a(k, k)), rw(a(m, k)), write(q.t(m, k)), name);
        return;
      default:
        runtime.submit(kernels.tsmqr, Op::transposed, read(a(m, k)), read(q.t(m, k)), rw(a(k, n)), rw(a(m, n)), name);
    }
  });
  return q;
}

namespace {

/// The part of Q that came from tile (m, k) of A, applied to tile column j of B.
template <class T>
void apply_tile(Runtime& runtime, Op op, const TiledMatrix<T>& a, const Reflectors<T>& q, TiledMatrix<T>& b,
                std::int32_t m, std::int32_t k, std::int32_t j) {
  const Kernels<T>& kernels = Kernels<T>::get();
  if (m == k) {
    runtime.submit(kernels.ormqr, op, read(q.v(k)), read(q.t(k, k)), rw(b(k, j)),
                   named(runtime, Kernel::ormqr, k, j, k));
  } else {
    runtime.submit(kernels.tsmqr, op, read(a(m, k)), read(q.t(m, k)), rw(b(k, j)), rw(b(m, j)),
                   named(runtime, Kernel::tsmqr, m, j, k));
  }
}

}  // namespace

template <class T>
void apply_q(Runtime& runtime, Op op, const TiledMatrix<T>& a, const Reflectors<T>& q, TiledMatrix<T>& b) {
  check_same_rows(a, b);
  if (!q.fit(a)) throw InputError("the reflectors are those of another matrix");
  const std::int32_t columns = a.tile_columns();
  for (std::int32_t step = 0; step < columns; ++step) {
    const std::int32_t k = op == Op::transposed ? step : columns - 1 - step;
    const std::int32_t tiles = a.tile_rows() - k;
    for (std::int32_t i = 0; i < tiles; ++i) {
      const std::int32_t m = op == Op::transposed ? k + i : a.tile_rows() - 1 - i;
      for (std::int32_t j = 0; j < b.tile_columns(); ++j) apply_tile(runtime, op, a, q, b, m, k, j);
    }
  }
}

template <class T>
void qr_solve(Runtime& runtime, const TiledMatrix<T>& a, const Reflectors<T>& q, TiledMatrix<T>& b) {
  apply_q(runtime, Op::transposed, a, q, b);
  triangular_solve(runtime, blas::Triangle::upper, Op::plain, blas::Diagonal::stored, a, b);
}

template class Reflectors<double>;
template class Reflectors<float>;
template Reflectors<double> qr(Runtime&, TiledMatrix<double>&);
template Reflectors<float> qr(Runtime&, TiledMatrix<float>&);
template void apply_q(Runtime&, Op, const TiledMatrix<double>&, const Reflectors<double>&, TiledMatrix<double>&);
template void apply_q(Runtime&, Op, const TiledMatrix<float>&, const Reflectors<float>&, TiledMatrix<float>&);
template void qr_solve(Runtime&, const TiledMatrix<double>&, const Reflectors<double>&, TiledMatrix<double>&);
template void qr_solve(Runtime&, const TiledMatrix<float>&, const Reflectors<float>&, TiledMatrix<float>&);

}  // namespace heddle::linalg
