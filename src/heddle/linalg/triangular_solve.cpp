#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/submit.hpp"

namespace heddle::linalg {

using blas::Op;
using blas::Triangle;

template <class T>
void triangular_solve(Runtime& runtime, Triangle triangle, Op op, blas::Diagonal diagonal, const TiledMatrix<T>& a,
                      TiledMatrix<T>& b) {
  check_same_rows(a, b);
  const Kernels<T>& kernels = Kernels<T>::get();
  const std::int32_t order = a.tile_columns();
  const bool downwards = (triangle == Triangle::lower) == (op == Op::plain);
  for (std::int32_t step = 0; step < order; ++step) {
    const std::int32_t k = downwards ? step : order - 1 - step;
    for (std::int32_t j = 0; j < b.tile_columns(); ++j) {
      runtime.submit(kernels.trsm, blas::Triangular{blas::Side::left, triangle, op, diagonal}, read(a(k, k)),
                     rw(b(k, j)), named(runtime, workload::Kernel::trsm, k, j, k));
    }
    const std::int32_t end = downwards ? order : k;
    for (std::int32_t m = downwards ? k + 1 : 0; m < end; ++m) {
      const auto& coefficients = op == Op::plain ? a(m, k) : a(k, m);
      for (std::int32_t j = 0; j < b.tile_columns(); ++j) {
        runtime.submit(kernels.gemm, Product<T>{op, Op::plain, -1, 1}, read(coefficients), read(b(k, j)), rw(b(m, j)),
                       named(runtime, workload::Kernel::gemm, m, j, k));
      }
    }
  }
}

template void triangular_solve(Runtime&, Triangle, Op, blas::Diagonal, const TiledMatrix<double>&,
                               TiledMatrix<double>&);
template void triangular_solve(Runtime&, Triangle, Op, blas::Diagonal, const TiledMatrix<float>&, TiledMatrix<float>&);

}  // namespace heddle::linalg
