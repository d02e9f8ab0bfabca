#pragma once

#include <cstddef>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/cuda/workplace.hpp"

namespace heddle::linalg::cuda {

using runtime::Matrix;

/// What namespace blas has, on matrices in the memory of a device. T is double or float. All but the factorizations
/// ask for their work and return. These throw std::runtime_error.
template <class T>
class DeviceBlas {
 public:
  explicit DeviceBlas(Workplace& workplace) : workplace_(&workplace) {}

  void gemm(blas::Op op_a, blas::Op op_b, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c);
  void syrk(Matrix<const T> a, Matrix<T> c);
  void trsm(const blas::Triangular& form, Matrix<const T> a, Matrix<T> b);
  void trmm(const blas::Triangular& form, Matrix<const T> a, Matrix<T> b);
  /// Y := alpha X + Y
  void add(T alpha, Matrix<const T> x, Matrix<T> y);

  /// As blas::potrf, also where a number is none.
  [[nodiscard]] std::size_t potrf(Matrix<T> a);
  /// A = L U without pivoting. 0, or the row, counted from 1, of the first pivot that is zero.
  [[nodiscard]] std::size_t getrf(Matrix<T> a);
  /// The row, counted from 1, of the first pivot of a factor that is no number; 0 when there is none. cuSOLVER does not
  /// tell.
  [[nodiscard]] std::size_t find_nan(Matrix<const T> factor) const;

 private:
  class BlockSolve;

  void substitute(const blas::Triangular& form, Matrix<const T> a, Matrix<T> b);
  [[nodiscard]] std::size_t found(const char* routine) const;

  Workplace* workplace_;
};

}  // namespace heddle::linalg::cuda
