#pragma once

#include <cstddef>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/cuda/workplace.hpp"

namespace heddle::linalg::cuda {

using runtime::Matrix;

/// The inverses of the diagonal blocks of a triangle, in the memory of a device. cuBLAS's own function for triangular
/// systems takes time in proportion to the order, most of it with most of the device idle: the blocks follow each
/// other. Their inverses are computed all at once; the rest of the system are products of matrices. As accurate as
/// substitution where the diagonal blocks are well conditioned, as those of factors mostly are (J. J. Du Croz, N. J.
/// Higham, "Stability of methods for matrix inversion", IMA J. Numer. Anal. 12(1), 1992,
/// doi:10.1093/imanum/12.1.1).
template <class T>
class DiagonalInverses {
 public:
  static constexpr std::size_t kOrder = 256;  ///< of a block

  /// Asks for the inverses of all whole blocks of A, triangular as `form` says. They are valid until the next are made
  /// on the same stream.
  DiagonalInverses(Workplace& workplace, const blas::Triangular& form, Matrix<const T> a);

  /// Of the block that begins at a row, a multiple of kOrder.
  [[nodiscard]] Matrix<const T> at(std::size_t row) const { return {inverses_ + row * kOrder, kOrder, kOrder, kOrder}; }

 private:
  T* inverses_;  ///< packed, one after the other
};

}  // namespace heddle::linalg::cuda
