#include "heddle/linalg/random_matrix.hpp"

#include <cmath>

#include "heddle/model/parallel.hpp"
#include "heddle/model/random.hpp"

namespace heddle::linalg {
namespace {

/// Keeps these numbers apart from others that are made with the same seed.
constexpr std::uint64_t kStream = 201;

}  // namespace

template <class T>
DenseMatrix<T> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  DenseMatrix<T> result(rows, columns);
  const runtime::Matrix<T> a = result.view();
  parallel_for(columns, core_count(), [&](std::size_t j) {
    Random random(seed, kStream, j);
    for (std::size_t i = 0; i < rows; ++i) a(i, j) = static_cast<T>(random.uniform() - 0.5);
  });
  return result;
}

template <class T>
DenseMatrix<T> random_definite(std::size_t order, bool symmetric, std::uint64_t seed) {
  DenseMatrix<T> result = random_matrix<T>(order, order, seed);
  const runtime::Matrix<T> a = result.view();
  const T shift = std::sqrt(static_cast<T>(order));
  for (std::size_t j = 0; j < order; ++j) {
    a(j, j) += shift;
    if (!symmetric) continue;
    for (std::size_t i = 0; i < j; ++i) a(i, j) = a(j, i);
  }
  return result;
}

template DenseMatrix<double> random_matrix(std::size_t, std::size_t, std::uint64_t);
template DenseMatrix<float> random_matrix(std::size_t, std::size_t, std::uint64_t);
template DenseMatrix<double> random_definite(std::size_t, bool, std::uint64_t);
template DenseMatrix<float> random_definite(std::size_t, bool, std::uint64_t);

}  // namespace heddle::linalg
