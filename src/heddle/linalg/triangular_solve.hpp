#pragma once

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/tiled_matrix.hpp"

namespace heddle::linalg {

/// B := op(A)^-1 B, where A is the lower or upper triangle of the first columns() rows of `a`; rows of B beyond these
/// stay as they are. Submits tasks and returns at once. Throws InputError when B does not have the rows and tiles of
/// `a`.
template <class T>
void triangular_solve(Runtime& runtime, blas::Triangle triangle, blas::Op op, blas::Diagonal diagonal,
                      const TiledMatrix<T>& a, TiledMatrix<T>& b);

}  // namespace heddle::linalg
