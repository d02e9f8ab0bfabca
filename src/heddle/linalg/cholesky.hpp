#pragma once

#include "heddle/linalg/tiled_matrix.hpp"

/// Symmetric positive definite matrices, of which only the lower triangle is looked at. T is double or float. All
/// functions submit tasks and return at once; the matrices must live until these have ended.
namespace heddle::linalg {

/// A = L L^T: L takes the place of A's lower triangle. Runtime::wait() throws Breakdown where A is not positive
/// definite. Throws InputError when A is not square.
template <class T>
void cholesky(Runtime& runtime, TiledMatrix<T>& a);

/// B := A^-1 B, where cholesky() has factorized A. Throws InputError when B does not have A's rows and tiles.
template <class T>
void cholesky_solve(Runtime& runtime, const TiledMatrix<T>& a, TiledMatrix<T>& b);

}  // namespace heddle::linalg
