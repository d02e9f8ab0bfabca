#include "heddle/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "heddle/linalg/cuda_functions.hpp"
#include "heddle/linalg/opencl_program.hpp"
#include "heddle/linalg/slices.hpp"
#include "heddle/linalg/tiled_matrix.hpp"
#include "heddle/workload/tile_task.hpp"

namespace heddle::linalg {
namespace {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;
using blas::Triangular;
using runtime::Job;
using runtime::on_cpu;
using runtime::on_opencl_native;

/// Memory of this thread for one call.
template <class T>
T* scratch(std::size_t size) {
  thread_local std::vector<T> memory;
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}

/// Divides 0, ..., count - 1 among the cores of the worker: part(first, size), `per_core` times on each, unless that is
/// less than it takes to agree on it.
template <class Part>
void divide(const Job& job, std::size_t count, Part&& part, std::size_t per_core = 1) {
  const std::size_t cores = job.team().size();
  if (cores == 1) return part(std::size_t{0}, count);
  constexpr std::size_t kLeast = 32;
  const std::size_t parts = std::min(cores * per_core, count / kLeast);
  if (parts <= 1) return part(std::size_t{0}, count);
  job.team().run(parts, [&](std::size_t i) {
    const std::size_t first = count * i / parts;
    part(first, count * (i + 1) / parts - first);
  });
}

template <class T>
void potrf(std::size_t first_row, Matrix<T> a) {
  if (const std::size_t row = blas::potrf(a); row != 0) {
    throw Breakdown(first_row + row - 1, "is not positive definite");
  }
}

/// L U of columns that are few, without exchanging rows.
template <class T>
void getrf_columns(std::size_t first_row, Matrix<T> a) {
  for (std::size_t k = 0; k < a.columns; ++k) {
    const T pivot = a(k, k);
    if (pivot == 0) throw Breakdown(first_row + k, "has a zero pivot");
    if (std::isnan(pivot)) throw Breakdown(first_row + k, "has a pivot that is not a number");
    for (std::size_t i = k + 1; i < a.rows; ++i) a(i, k) /= pivot;
    for (std::size_t j = k + 1; j < a.columns; ++j) {
      for (std::size_t i = k + 1; i < a.rows; ++i) a(i, j) -= a(i, k) * a(k, j);
    }
  }
}

/// L U of a square tile without pivoting, which LAPACK does not have: by halves, so that most of it is GEMM (S. Toledo,
/// "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997).
template <class T>
void getrf(std::size_t first_row, Matrix<T> a) {
  constexpr std::size_t kFew = 16;
  if (a.columns <= kFew) return getrf_columns(first_row, a);
  const std::size_t half = a.columns / 2;
  const std::size_t rest = a.columns - half;
  const Matrix<T> a11 = a.block(0, 0, half, half);
  const Matrix<T> a12 = a.block(0, half, half, rest);
  const Matrix<T> a21 = a.block(half, 0, rest, half);
  const Matrix<T> a22 = a.block(half, half, rest, rest);
  getrf(first_row, a11);
  blas::trsm<T>({Side::left, Triangle::lower, Op::plain, Diagonal::unit}, a11, a12);
  blas::trsm<T>({Side::right, Triangle::upper, Op::plain, Diagonal::stored}, a11, a21);
  blas::gemm<T>(Op::plain, Op::plain, T(-1), a21, a12, T(1), a22);
  getrf(first_row + half, a22);
}

/// By columns of C, each from the diagonal down; the first are the longest, hence several parts for each core.
template <class T>
void syrk(const Job& job, Matrix<const T> a, Matrix<T> c) {
  constexpr std::size_t kPerCore = 4;
  divide(
      job, c.columns,
      [&](std::size_t first, std::size_t size) {
        blas::syrk<T>(rows(a, first, size), c.block(first, first, size, size));
        const std::size_t below = first + size;
        if (below == c.rows) return;
        blas::gemm<T>(Op::plain, Op::transposed, T(-1), rows(a, below, a.rows - below), rows(a, first, size), T(1),
                      c.block(below, first, c.rows - below, size));
      },
      kPerCore);
}

/// By columns of C.
template <class T>
void gemm(const Job& job, Product<T> form, Matrix<const T> a, Matrix<const T> b, Matrix<T> c) {
  divide(job, c.columns, [&](std::size_t first, std::size_t size) {
    const Matrix<const T> part = form.op_b == Op::plain ? columns(b, first, size) : rows(b, first, size);
    blas::gemm<T>(form.op_a, form.op_b, form.alpha, a, part, form.beta, columns(c, first, size));
  });
}

/// By columns of B, or by its rows where the triangle is to its right. Of a triangle that stands above other elements
/// (R in the last diagonal tile of a tall matrix) only its own rows count, in A and in B.
template <class T>
void trsm(const Job& job, Triangular form, Matrix<const T> a, Matrix<T> b) {
  const std::size_t order = std::min(a.rows, a.columns);
  const Matrix<const T> triangle = a.block(0, 0, order, order);
  if (form.side == Side::left) {
    const Matrix<T> top = rows(b, 0, order);
    divide(job, b.columns,
           [&](std::size_t first, std::size_t size) { blas::trsm<T>(form, triangle, columns(top, first, size)); });
  } else {
    divide(job, b.rows,
           [&](std::size_t first, std::size_t size) { blas::trsm<T>(form, triangle, rows(b, first, size)); });
  }
}

/// V is copied so that R can be worked on while others read V.
template <class T>
void geqrt(Matrix<T> a, Matrix<T> v, Matrix<T> t) {
  blas::geqrt<T>(a, t, scratch<T>(t.rows * a.columns));
  for (std::size_t j = 0; j < a.columns; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) v(i, j) = i > j ? a(i, j) : T(i == j);
  }
}

template <class T>
void ormqr(const Job& job, Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> c) {
  divide(job, c.columns, [&](std::size_t first, std::size_t size) {
    blas::gemqrt<T>(op, v, t, columns(c, first, size), scratch<T>(t.rows * size));
  });
}

template <class T>
void tsqrt(Matrix<T> r, Matrix<T> a, Matrix<T> t) {
  blas::tpqrt<T>(rows(r, 0, r.columns), a, t, scratch<T>(t.rows * a.columns));
}

template <class T>
void tsmqr(const Job& job, Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> a, Matrix<T> b) {
  const Matrix<T> top = rows(a, 0, v.columns);
  divide(job, b.columns, [&](std::size_t first, std::size_t size) {
    blas::tpmqrt<T>(op, v, t, columns(top, first, size), columns(b, first, size), scratch<T>(t.rows * size));
  });
}

/// The data of the job behind the first one: tiles below each other.
template <class T>
std::vector<Matrix<T>> stacked_tiles(const Job& job) {
  std::vector<Matrix<T>> tiles;
  for (const runtime::Argument& one : job.arguments() | std::views::drop(1)) {
    tiles.push_back(runtime::ViewTraits<Matrix<T>>::make(one.piece, one.shape));
  }
  return tiles;
}

/// On a copy in which the tiles make one matrix, as LAPACK wants it.
template <class T>
void getrf_pivoted(const Job& job, std::size_t first_row, std::span<blas::Pivot> pivots) {
  const std::vector<Matrix<T>> tiles = stacked_tiles<T>(job);
  std::size_t height = 0;
  for (const Matrix<T>& tile : tiles) height += tile.rows;
  const std::size_t width = tiles.front().columns;
  const Matrix<T> panel{scratch<T>(height * width), height, width, height};
  const auto visit = [&](auto&& move) {
    std::size_t row = 0;
    for (const Matrix<T>& tile : tiles) {
      move(tile, rows(panel, row, tile.rows));
      row += tile.rows;
    }
  };
  visit([](const Matrix<T>& tile, const Matrix<T>& part) { copy(tile, part); });
  const std::size_t zero = blas::getrf(panel, pivots);
  if (zero != 0) throw Breakdown(first_row + zero - 1, "is singular");
  for (std::size_t k = 0; k < std::min(height, width); ++k) {
    if (std::isnan(panel(k, k))) throw Breakdown(first_row + k, "has a pivot that is not a number");
  }
  visit([](const Matrix<T>& tile, const Matrix<T>& part) { copy(part, tile); });
}

template <class T>
void laswp(const Job& job, std::span<const blas::Pivot> pivots) {
  const std::vector<Matrix<T>> tiles = stacked_tiles<T>(job);
  const std::size_t height = tiles.front().rows;
  const auto element = [&](std::size_t row, std::size_t column) -> T& {
    return tiles[row / height](row % height, column);
  };
  divide(job, tiles.front().columns, [&](std::size_t first, std::size_t size) {
    for (std::size_t j = first; j < first + size; ++j) {
      for (std::size_t i = 0; i < pivots.size(); ++i) {
        std::swap(element(i, j), element(static_cast<std::size_t>(pivots[i] - 1), j));
      }
    }
  });
}

std::string name(workload::Kernel kernel) {
  return std::string(workload::to_string(kernel));
}

/// The function of the module for CUDA devices that has this name, where there is such a module.
template <class T, class... P>
runtime::TypedImplementation<P...> on_cuda(const char* name) {
  runtime::TypedImplementation<P...> typed{
      {runtime::Processor::cuda, runtime::Implementation::Form::enqueues, cuda::function(name, sizeof(T)), nullptr}};
  return std::move(typed).unless([name] { return cuda::missing(name, sizeof(T)); });
}

/// On CPU cores, and on devices that can run the same function.
template <class F>
auto kernel(std::string name, F function) {
  return runtime::Kernel(std::move(name), on_cpu(function), on_opencl_native(function));
}

/// The same, and on CUDA devices the function `entry` for T.
template <class T, class F>
auto kernel(std::string name, F function, const char* entry) {
  const auto with_cuda = [&]<class... P>(runtime::TypedImplementation<P...> cpu) {
    return runtime::Kernel<P...>(std::move(name), std::move(cpu), on_opencl_native(function), on_cuda<T, P...>(entry));
  };
  return with_cuda(on_cpu(function));
}

/// The same, and on other OpenCL devices the function `entry` of the program for T.
template <class T, class F>
auto kernel(std::string name, F function, const char* entry, runtime::WorkItems (*items)(const Job&)) {
  const auto with_source = [&]<class... P>(runtime::TypedImplementation<P...> cpu) {
    return runtime::Kernel<P...>(std::move(name), std::move(cpu), on_opencl_native(function),
                                 runtime::on_opencl<P...>(opencl::tile_program<T>(), entry, items),
                                 on_cuda<T, P...>(entry));
  };
  return with_source(on_cpu(function));
}

}  // namespace

template <class T>
Kernels<T>::Kernels()
    : potrf(kernel<T>(name(workload::Kernel::potrf), linalg::potrf<T>, "potrf")),
      getrf(kernel<T>(name(workload::Kernel::getrf), linalg::getrf<T>, "getrf")),
      syrk(kernel<T>(name(workload::Kernel::syrk), linalg::syrk<T>, "syrk", opencl::per_block)),
      gemm(kernel<T>(name(workload::Kernel::gemm), linalg::gemm<T>, "gemm", opencl::per_block)),
      trsm(kernel<T>(name(workload::Kernel::trsm), linalg::trsm<T>, "trsm", opencl::per_right_hand_sides)),
      trsm_u(kernel<T>(name(workload::Kernel::trsm_u), linalg::trsm<T>, "trsm", opencl::per_right_hand_sides)),
      trsm_l(kernel<T>(name(workload::Kernel::trsm_l), linalg::trsm<T>, "trsm", opencl::per_right_hand_sides)),
      geqrt(kernel(name(workload::Kernel::geqrt), linalg::geqrt<T>)),
      ormqr(kernel<T>(name(workload::Kernel::ormqr), linalg::ormqr<T>, "ormqr", opencl::per_strip)),
      tsqrt(kernel(name(workload::Kernel::tsqrt), linalg::tsqrt<T>)),
      tsmqr(kernel<T>(name(workload::Kernel::tsmqr), linalg::tsmqr<T>, "tsmqr", opencl::per_strip)),
      getrf_pivoted(kernel("GETRF_PIVOTED", linalg::getrf_pivoted<T>)),
      laswp(kernel("LASWP", linalg::laswp<T>)) {
  blas::use_one_thread();
}

template <class T>
const Kernels<T>& Kernels<T>::get() {
  static const Kernels kernels;
  return kernels;
}

template struct Kernels<double>;
template struct Kernels<float>;

}  // namespace heddle::linalg
