#pragma once

#include "heddle/linalg/random_matrix.hpp"
#include "heddle/linalg/tiled_matrix.hpp"

namespace heddle::linalg::test {

/// All elements of a tiled matrix whose tasks have ended.
template <class T>
[[nodiscard]] DenseMatrix<T> dense(const TiledMatrix<T>& tiled) {
  DenseMatrix<T> result(tiled.rows(), tiled.columns());
  tiled.copy_to(result.view());
  return result;
}

}  // namespace heddle::linalg::test
