#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/linalg/watch.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::linalg {

/// A column-major matrix with memory of its own.
template <class T>
class DenseMatrix {
 public:
  /// Zeros.
  DenseMatrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), memory_(rows * columns) {}

  [[nodiscard]] runtime::Matrix<T> view() { return {memory_.data(), rows_, columns_, rows_}; }
  [[nodiscard]] runtime::Matrix<const T> view() const { return {memory_.data(), rows_, columns_, rows_}; }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<T> memory_;
};

/// Elements uniform on [-0.5, 0.5), the same on every machine for one seed.
template <class T>
[[nodiscard]] DenseMatrix<T> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed,
                                           const Watch& watch = {});

/// The same with the square root of `order` added to the diagonal, and, for `symmetric`, the upper triangle that
/// mirrors the lower one: positive definite, or with a symmetric part that is, so that LU needs no pivoting. The random
/// part has norms of about 0.58 times what is added, so that it is neither too large nor lost in what a residual
/// forgives.
template <class T>
[[nodiscard]] DenseMatrix<T> random_definite(std::size_t order, bool symmetric, std::uint64_t seed,
                                             const Watch& watch = {});

}  // namespace heddle::linalg
