#pragma once

#include <cstdint>

#include "heddle/workload/tile_task.hpp"

/// The loops of the tiled algorithms, written once: `visit(const TileTask&)` is called for every task in submission
/// order, indices from 0. A visitor that adds nodes gives the task graph, one that submits kernels the real thing;
/// dependencies are what the accesses imply in this order.
namespace heddle::workload {

namespace detail {

constexpr TileAccess reads(Part part, std::int32_t row, std::int32_t column) {
  return {{part, row, column}, AccessMode::read};
}
constexpr TileAccess writes(Part part, std::int32_t row, std::int32_t column) {
  return {{part, row, column}, AccessMode::write};
}
constexpr TileAccess updates(Part part, std::int32_t row, std::int32_t column) {
  return {{part, row, column}, AccessMode::read_write};
}

constexpr TileTask task(Kernel kernel, std::int32_t row, std::int32_t column, std::int32_t step, TileAccess only) {
  return {kernel, row, column, step, {only, {}, {}}, 1};
}
constexpr TileTask task(Kernel kernel, std::int32_t row, std::int32_t column, std::int32_t step, TileAccess first,
                        TileAccess second) {
  return {kernel, row, column, step, {first, second, {}}, 2};
}
constexpr TileTask task(Kernel kernel, std::int32_t row, std::int32_t column, std::int32_t step, TileAccess first,
                        TileAccess second, TileAccess third) {
  return {kernel, row, column, step, {first, second, third}, 3};
}

}  // namespace detail

/// Cholesky, A = L L^T on the lower triangle: N(N+1)(N+2)/6 tasks for N x N tiles.
template <class Visit>
void visit_cholesky(std::int32_t tiles, Visit&& visit) {
  using namespace detail;
  constexpr Part A = Part::a;
  for (std::int32_t i = 0; i < tiles; ++i) {
    visit(task(Kernel::potrf, i, i, i, updates(A, i, i)));
    for (std::int32_t j = i + 1; j < tiles; ++j) {
      visit(task(Kernel::trsm, j, i, i, reads(A, i, i), updates(A, j, i)));
    }
    for (std::int32_t k = i + 1; k < tiles; ++k) {
      visit(task(Kernel::syrk, k, k, i, reads(A, k, i), updates(A, k, k)));
      for (std::int32_t j = k + 1; j < tiles; ++j) {
        visit(task(Kernel::gemm, j, k, i, reads(A, j, i), reads(A, k, i), updates(A, j, k)));
      }
    }
  }
}

/// LU without pivoting, A = L U: N(N+1)(2N+1)/6 tasks for N x N tiles.
template <class Visit>
void visit_lu(std::int32_t tiles, Visit&& visit) {
  using namespace detail;
  constexpr Part A = Part::a;
  for (std::int32_t k = 0; k < tiles; ++k) {
    visit(task(Kernel::getrf, k, k, k, updates(A, k, k)));
    for (std::int32_t m = k + 1; m < tiles; ++m) {
      visit(task(Kernel::trsm_u, m, k, k, reads(A, k, k), updates(A, m, k)));
    }
    for (std::int32_t n = k + 1; n < tiles; ++n) {
      visit(task(Kernel::trsm_l, k, n, k, reads(A, k, k), updates(A, k, n)));
      for (std::int32_t m = k + 1; m < tiles; ++m) {
        visit(task(Kernel::gemm, m, n, k, reads(A, m, k), reads(A, k, n), updates(A, m, n)));
      }
    }
  }
}

/// QR with a flat tree, A = Q R, of at least as many rows as columns: N(N+1)(2N+1)/6 tasks for N x N tiles. V(k,k) and
/// A(k,k) = R are two data, so that the TSQRTs of a column need not wait for the ORMQRs of its row.
template <class Visit>
void visit_qr(std::int32_t rows, std::int32_t columns, Visit&& visit) {
  using namespace detail;
  constexpr Part A = Part::a;
  constexpr Part V = Part::v;
  for (std::int32_t k = 0; k < columns; ++k) {
    visit(task(Kernel::geqrt, k, k, k, updates(A, k, k), writes(V, k, k)));
    for (std::int32_t n = k + 1; n < columns; ++n) {
      visit(task(Kernel::ormqr, k, n, k, reads(V, k, k), updates(A, k, n)));
    }
    for (std::int32_t m = k + 1; m < rows; ++m) {
      visit(task(Kernel::tsqrt, m, k, k, updates(A, k, k), updates(A, m, k)));
      for (std::int32_t n = k + 1; n < columns; ++n) {
        visit(task(Kernel::tsmqr, m, n, k, reads(A, m, k), updates(A, k, n), updates(A, m, n)));
      }
    }
  }
}

/// C += A B with A of rows x inner tiles and B of inner x columns tiles: rows * columns * inner tasks.
template <class Visit>
void visit_gemm(std::int32_t rows, std::int32_t columns, std::int32_t inner, Visit&& visit) {
  using namespace detail;
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < columns; ++j) {
      for (std::int32_t k = 0; k < inner; ++k) {
        visit(task(Kernel::gemm, i, j, k, reads(Part::a, i, k), reads(Part::b, k, j), updates(Part::c, i, j)));
      }
    }
  }
}

}  // namespace heddle::workload
