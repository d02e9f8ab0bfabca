#pragma once

#include "heddle/linalg/tiled_matrix.hpp"

/// Square matrices. T is double or float. All functions submit tasks and return at once; what they are given must live
/// until these have ended.
namespace heddle::linalg {

/// A = L U without pivoting, for matrices that need none, such as diagonally dominant ones: U takes the place of A's
/// upper triangle, L, whose diagonal is 1, that of the rest. Runtime::wait() throws Breakdown where a pivot is zero.
/// Throws InputError when A is not square.
template <class T>
void lu(Runtime& runtime, TiledMatrix<T>& a);

/// B := A^-1 B, where lu() has factorized A. Throws InputError when B does not have A's rows and tiles.
template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& a, TiledMatrix<T>& b);

}  // namespace heddle::linalg
