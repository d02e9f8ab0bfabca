#pragma once

#include <span>

#include "problem.hpp"

namespace heddle::bench {

/// The tile kernels of the Cholesky factorization, by the types of `workload::tiled_graph`, on one thread each: all
/// systems call these. Throws linalg::Breakdown when the matrix is not positive definite.
void cholesky_kernel(TypeId kernel, std::span<const ConstTile> read, const Tile& written);

/// The whole factorization by LAPACK with so many threads of its own, on the lower triangle.
void lapack_cholesky(const Tile& matrix, unsigned threads);

}  // namespace heddle::bench
