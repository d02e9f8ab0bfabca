#include <algorithm>
#include <utility>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/submit.hpp"

namespace heddle::linalg {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;

Pivots::Pivots(Runtime& runtime, std::size_t order, std::size_t tile_size) : tile_size_(tile_size), memory_(order) {
  for (std::size_t first = 0; first < order; first += tile_size) {
    data_.push_back(runtime.data(std::span(memory_).subspan(first, std::min(tile_size, order - first))));
  }
}

Pivots& Pivots::operator=(Pivots&& other) noexcept {
  data_.clear();  // before the memory that it is about
  tile_size_ = other.tile_size_;
  memory_ = std::move(other.memory_);
  data_ = std::move(other.data_);
  return *this;
}

std::vector<blas::Pivot> Pivots::all() const {
  std::vector<blas::Pivot> result = memory_;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] += static_cast<blas::Pivot>(i / tile_size_ * tile_size_);
  }
  return result;
}

namespace {

runtime::Named named_column(const Runtime& runtime, const char* kernel, std::int32_t k, std::int32_t n) {
  if (!runtime.traces()) return {};
  return {std::string(kernel) + "(" + std::to_string(k) + "," + std::to_string(n) + ")"};
}

/// The tiles of column n from tile row k down.
template <class T>
runtime::Also column_from(const TiledMatrix<T>& a, std::int32_t k, std::int32_t n) {
  std::vector<runtime::AnyUse> uses;
  for (std::int32_t m = k; m < a.tile_rows(); ++m) uses.emplace_back(rw(a(m, n)));
  return runtime::also(std::move(uses));
}

template <class T>
void exchange_rows(Runtime& runtime, const Pivots& pivots, TiledMatrix<T>& a, std::int32_t k, std::int32_t n) {
  runtime.submit(Kernels<T>::get().laswp, read(pivots(k)), column_from(a, k, n), named_column(runtime, "LASWP", k, n));
}

/// What the factorized tile column k does to column n, right of it.
template <class T>
void update_column(Runtime& runtime, TiledMatrix<T>& a, std::int32_t k, std::int32_t n) {
  const Kernels<T>& kernels = Kernels<T>::get();
  runtime.submit(kernels.trsm_l, blas::Triangular{Side::left, Triangle::lower, Op::plain, Diagonal::unit},
                 read(a(k, k)), rw(a(k, n)), named(runtime, workload::Kernel::trsm_l, k, n, k));
  for (std::int32_t m = k + 1; m < a.tile_rows(); ++m) {
    runtime.submit(kernels.gemm, Product<T>{Op::plain, Op::plain, -1, 1}, read(a(m, k)), read(a(k, n)), rw(a(m, n)),
                   named(runtime, workload::Kernel::gemm, m, n, k));
  }
}

}  // namespace

template <class T>
Pivots pivoted_lu(Runtime& runtime, TiledMatrix<T>& a) {
  check_square(a);
  Pivots pivots(runtime, a.rows(), a.tile_size());
  for (std::int32_t k = 0; k < a.tile_columns(); ++k) {
    runtime.submit(Kernels<T>::get().getrf_pivoted, first_row(a, k), write(pivots(k)), column_from(a, k, k),
                   named_column(runtime, "GETRF_PIVOTED", k, k));
    for (std::int32_t n = k + 1; n < a.tile_columns(); ++n) {
      exchange_rows(runtime, pivots, a, k, n);
      update_column(runtime, a, k, n);
    }
    for (std::int32_t n = 0; n < k; ++n) exchange_rows(runtime, pivots, a, k, n);
  }
  return pivots;
}

template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& a, const Pivots& pivots, TiledMatrix<T>& b) {
  check_square(a);
  check_same_rows(a, b);
  if (!pivots.fit(a.rows(), a.tile_size())) throw InputError("the pivots are those of another matrix");
  for (std::int32_t k = 0; k < a.tile_rows(); ++k) {
    for (std::int32_t j = 0; j < b.tile_columns(); ++j) exchange_rows(runtime, pivots, b, k, j);
  }
  lu_solve(runtime, a, b);
}

template Pivots pivoted_lu(Runtime&, TiledMatrix<double>&);
template Pivots pivoted_lu(Runtime&, TiledMatrix<float>&);
template void lu_solve(Runtime&, const TiledMatrix<double>&, const Pivots&, TiledMatrix<double>&);
template void lu_solve(Runtime&, const TiledMatrix<float>&, const Pivots&, TiledMatrix<float>&);

}  // namespace heddle::linalg
