#include "heddle/linalg/cuda/device_blas.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heddle/linalg/cuda/diagonal_inverses.hpp"
#include "heddle/linalg/cuda/routines.hpp"
#include "heddle/model/error.hpp"

namespace heddle::linalg::cuda {
namespace {

using blas::Op;
using blas::Side;
using blas::Triangle;
using blas::Triangular;

template <class T>
constexpr T kOne = T(1);

}  // namespace

template <class T>
void DeviceBlas<T>::gemm(Op op_a, Op op_b, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c) {
  const std::size_t inner = op_a == Op::plain ? a.columns : a.rows;
  check("cublas<t>gemm",
        Routines<T>::kGemm(workplace_->blas(), flag(op_a), flag(op_b), number(c.rows), number(c.columns), number(inner),
                           &alpha, a.data, leading(a), b.data, leading(b), &beta, c.data, leading(c)));
}

template <class T>
void DeviceBlas<T>::syrk(Matrix<const T> a, Matrix<T> c) {
  constexpr T kMinusOne = T(-1);
  check("cublas<t>syrk",
        Routines<T>::kSyrk(workplace_->blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, number(c.rows), number(a.columns),
                           &kMinusOne, a.data, leading(a), &kOne<T>, c.data, leading(c)));
}

/// Solves a large system by halves, down to diagonal blocks whose inverses are known: all but these are products.
template <class T>
class DeviceBlas<T>::BlockSolve {
 public:
  static constexpr std::size_t kOrder = DiagonalInverses<T>::kOrder;

  BlockSolve(DeviceBlas& blas, const Triangular& form, Matrix<const T> a, std::size_t sides)
      : blas_(blas),
        form_(form),
        inverses_(*blas.workplace_, form, a),
        left_(form.side == Side::left),
        room_(blas.workplace_->scratch<T>(kOrder * sides)) {}

  /// X, in place of its right-hand side, of a triangle whose first row is that one of A.
  void operator()(Matrix<const T> a, Matrix<T> x, std::size_t row) {
    if (a.rows < kOrder) return blas_.substitute(form_, a, x);
    if (a.rows == kOrder) return multiply(inverses_.at(row), x);
    const std::size_t half = (a.rows / kOrder + 1) / 2 * kOrder;
    const std::size_t rest = a.rows - half;
    const bool lower = form_.triangle == Triangle::lower;
    const Matrix<T> first = left_ ? x.block(0, 0, half, x.columns) : x.block(0, 0, x.rows, half);
    const Matrix<T> second = left_ ? x.block(half, 0, rest, x.columns) : x.block(0, half, x.rows, rest);
    const Matrix<const T> beside = lower ? a.block(half, 0, rest, half) : a.block(0, half, half, rest);
    const auto solve_first = [&] { (*this)(a.block(0, 0, half, half), first, row); };
    const auto solve_second = [&] { (*this)(a.block(half, half, rest, rest), second, row + half); };
    // From the left, the first unknowns of a lower triangular op(A) depend on no others.
    if ((lower == (form_.op == Op::plain)) == left_) {
      solve_first();
      subtract(beside, first, second);
      solve_second();
    } else {
      solve_second();
      subtract(beside, second, first);
      solve_first();
    }
  }

 private:
  /// to -= op(beside) known, or known op(beside)
  void subtract(Matrix<const T> beside, Matrix<const T> known, Matrix<T> to) {
    left_ ? blas_.gemm(form_.op, Op::plain, T(-1), beside, known, T(1), to)
          : blas_.gemm(Op::plain, form_.op, T(-1), known, beside, T(1), to);
  }
  /// x := op(inverse) x, or x op(inverse)
  void multiply(Matrix<const T> inverse, Matrix<T> x) {
    const Matrix<T> before{room_, x.rows, x.columns, x.rows};
    blas_.workplace_->copy(Matrix<const T>(x), before);
    left_ ? blas_.gemm(form_.op, Op::plain, T(1), inverse, before, T(0), x)
          : blas_.gemm(Op::plain, form_.op, T(1), before, inverse, T(0), x);
  }

  DeviceBlas& blas_;
  const Triangular form_;
  const DiagonalInverses<T> inverses_;
  const bool left_;
  T* const room_;  ///< for a part of X as it was
};

template <class T>
void DeviceBlas<T>::trsm(const Triangular& form, Matrix<const T> a, Matrix<T> b) {
  const std::size_t sides = form.side == Side::left ? b.columns : b.rows;
  if (a.rows < 2 * BlockSolve::kOrder || sides < BlockSolve::kOrder) return substitute(form, a, b);
  BlockSolve(*this, form, a, sides)(a, b, 0);
}

/// By cuBLAS's own function.
template <class T>
void DeviceBlas<T>::substitute(const Triangular& form, Matrix<const T> a, Matrix<T> b) {
  check("cublas<t>trsm",
        Routines<T>::kTrsm(workplace_->blas(), flag(form.side), flag(form.triangle), flag(form.op), flag(form.diagonal),
                           number(b.rows), number(b.columns), &kOne<T>, a.data, leading(a), b.data, leading(b)));
}

template <class T>
void DeviceBlas<T>::trmm(const Triangular& form, Matrix<const T> a, Matrix<T> b) {
  // In place where the result is B.
  check("cublas<t>trmm", Routines<T>::kTrmm(workplace_->blas(), flag(form.side), flag(form.triangle), flag(form.op),
                                            flag(form.diagonal), number(b.rows), number(b.columns), &kOne<T>, a.data,
                                            leading(a), b.data, leading(b), b.data, leading(b)));
}

template <class T>
void DeviceBlas<T>::add(T alpha, Matrix<const T> x, Matrix<T> y) {
  check("cublas<t>geam",
        Routines<T>::kGeam(workplace_->blas(), CUBLAS_OP_N, CUBLAS_OP_N, number(y.rows), number(y.columns), &alpha,
                           x.data, leading(x), &kOne<T>, y.data, leading(y), y.data, leading(y)));
}

template <class T>
std::size_t DeviceBlas<T>::potrf(Matrix<T> a) {
  int size = 0;
  check("cusolverDn<t>potrf_bufferSize", Routines<T>::kPotrfSize(workplace_->solver(), CUBLAS_FILL_MODE_LOWER,
                                                                 number(a.rows), a.data, leading(a), &size));
  T* const work = workplace_->scratch<T>(static_cast<std::size_t>(size));
  check("cusolverDn<t>potrf", Routines<T>::kPotrf(workplace_->solver(), CUBLAS_FILL_MODE_LOWER, number(a.rows), a.data,
                                                  leading(a), work, size, workplace_->info()));
  const std::size_t row = found("cusolverDn<t>potrf");
  return row != 0 ? row : find_nan(a);
}

template <class T>
std::size_t DeviceBlas<T>::getrf(Matrix<T> a) {
  int size = 0;
  check("cusolverDn<t>getrf_bufferSize",
        Routines<T>::kGetrfSize(workplace_->solver(), number(a.rows), number(a.columns), a.data, leading(a), &size));
  T* const work = workplace_->scratch<T>(static_cast<std::size_t>(size));
  // cuSOLVER's documentation: without room for pivots it does not pivot.
  check("cusolverDn<t>getrf", Routines<T>::kGetrf(workplace_->solver(), number(a.rows), number(a.columns), a.data,
                                                  leading(a), work, nullptr, workplace_->info()));
  return found("cusolverDn<t>getrf");
}

template <class T>
std::size_t DeviceBlas<T>::find_nan(Matrix<const T> factor) const {
  if (factor.rows == 0) return 0;
  const std::size_t stride = factor.leading + 1;
  // What is no number spoils all pivots that come after it: mostly a look at the last one does.
  T last{};
  workplace_->read(&last, factor.data + (factor.rows - 1) * stride, 1, 1);
  if (!std::isnan(last)) return 0;
  std::vector<T> pivots(factor.rows);
  workplace_->read(pivots.data(), factor.data, factor.rows, stride);
  const auto first = std::ranges::find_if(pivots, [](T pivot) { return std::isnan(pivot); });
  return static_cast<std::size_t>(first - pivots.begin()) + 1;
}

/// What a factorization found in the matrix; what it says of its arguments is our fault.
template <class T>
std::size_t DeviceBlas<T>::found(const char* routine) const {
  const int info = workplace_->read_info();
  if (info >= 0) return static_cast<std::size_t>(info);
  throw InternalError(std::string(routine) + " was called with an argument that is wrong, number " +
                      std::to_string(-info));
}

template class DeviceBlas<double>;
template class DeviceBlas<float>;

}  // namespace heddle::linalg::cuda
