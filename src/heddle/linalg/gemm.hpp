#pragma once

#include "heddle/linalg/tiled_matrix.hpp"

namespace heddle::linalg {

/// C := alpha A B + beta C. Submits tasks and returns at once; the matrices must live until these have ended. Throws
/// InputError when the sizes of matrices or tiles do not fit.
template <class T>
void gemm(Runtime& runtime, T alpha, const TiledMatrix<T>& a, const TiledMatrix<T>& b, T beta, TiledMatrix<T>& c);

}  // namespace heddle::linalg
