#include <algorithm>
#include <cmath>

#include "heddle/linalg/testing.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/model/random.hpp"

namespace heddle::linalg {
namespace {

/// Keeps these numbers apart from others that are made with the same seed.
constexpr std::uint64_t kStream = 201;

}  // namespace

template <class T>
DenseMatrix<T> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed, const Watch& watch) {
  DenseMatrix<T> result(rows, columns);
  const runtime::Matrix<T> a = result.view();
  const auto fill = [&](std::size_t j) {
    Random random(seed, kStream, j);
    for (std::size_t i = 0; i < rows; ++i) a(i, j) = static_cast<T>(random.uniform() - 0.5);
  };
  const auto tell = [&](std::size_t done) {
    if (watch) watch(static_cast<double>(done) / static_cast<double>(columns));
  };
  parallel_for(columns, core_count(), fill, tell);
  return result;
}

template <class T>
DenseMatrix<T> random_definite(std::size_t order, bool symmetric, std::uint64_t seed, const Watch& watch) {
  DenseMatrix<T> result = random_matrix<T>(order, order, seed, watch);
  const runtime::Matrix<T> a = result.view();
  const T shift = std::sqrt(static_cast<T>(order));
  for (std::size_t j = 0; j < order; ++j) a(j, j) += shift;
  if (!symmetric) return result;
  // In blocks, since one of the two is gone through along rows.
  constexpr std::size_t kBlock = 64;
  parallel_for((order + kBlock - 1) / kBlock, core_count(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t last = std::min(first + kBlock, order);
    for (std::size_t row = 0; row < last; row += kBlock) {
      for (std::size_t j = first; j < last; ++j) {
        for (std::size_t i = row; i < std::min(row + kBlock, j); ++i) a(i, j) = a(j, i);
      }
    }
  });
  return result;
}

template DenseMatrix<double> random_matrix(std::size_t, std::size_t, std::uint64_t, const Watch&);
template DenseMatrix<float> random_matrix(std::size_t, std::size_t, std::uint64_t, const Watch&);
template DenseMatrix<double> random_definite(std::size_t, bool, std::uint64_t, const Watch&);
template DenseMatrix<float> random_definite(std::size_t, bool, std::uint64_t, const Watch&);

}  // namespace heddle::linalg
