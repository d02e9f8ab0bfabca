#pragma once

#include "factorization.hpp"
#include "heddle/linalg/testing.hpp"

namespace heddle::bench {

/// Seconds that cuSOLVER takes on the first GPU, the shortest of several. A matrix in the host's memory is copied there
/// and back, of Cholesky only what is on and below the diagonal (in blocks of columns, as there is no better way).
/// Device memory, workspace and handles are made before. Throws std::runtime_error when it cannot.
template <class T>
[[nodiscard]] double cusolver_seconds(Algorithm algorithm, Residence residence, const linalg::DenseMatrix<T>& a,
                                      int repetitions);

}  // namespace heddle::bench
