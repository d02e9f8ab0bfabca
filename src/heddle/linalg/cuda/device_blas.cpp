#include "heddle/linalg/cuda/device_blas.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::linalg::cuda {
namespace {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;
using blas::Triangular;

/// The names of the routines for one type of elements.
template <class T>
struct Routines;

template <>
struct Routines<double> {
  static constexpr auto kGemm = cublasDgemm;
  static constexpr auto kSyrk = cublasDsyrk;
  static constexpr auto kTrsm = cublasDtrsm;
  static constexpr auto kTrmm = cublasDtrmm;
  static constexpr auto kGeam = cublasDgeam;
  static constexpr auto kPotrfSize = cusolverDnDpotrf_bufferSize;
  static constexpr auto kPotrf = cusolverDnDpotrf;
  static constexpr auto kGetrfSize = cusolverDnDgetrf_bufferSize;
  static constexpr auto kGetrf = cusolverDnDgetrf;
};

template <>
struct Routines<float> {
  static constexpr auto kGemm = cublasSgemm;
  static constexpr auto kSyrk = cublasSsyrk;
  static constexpr auto kTrsm = cublasStrsm;
  static constexpr auto kTrmm = cublasStrmm;
  static constexpr auto kGeam = cublasSgeam;
  static constexpr auto kPotrfSize = cusolverDnSpotrf_bufferSize;
  static constexpr auto kPotrf = cusolverDnSpotrf;
  static constexpr auto kGetrfSize = cusolverDnSgetrf_bufferSize;
  static constexpr auto kGetrf = cusolverDnSgetrf;
};

constexpr int number(std::size_t value) {
  return static_cast<int>(value);
}

/// The step from one column to the next, as BLAS wants it even for matrices without rows.
template <class T>
int leading(const Matrix<T>& a) {
  return number(a.leading > 0 ? a.leading : 1);
}

cublasOperation_t flag(Op op) {
  return op == Op::plain ? CUBLAS_OP_N : CUBLAS_OP_T;
}
cublasSideMode_t flag(Side side) {
  return side == Side::left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
cublasFillMode_t flag(Triangle triangle) {
  return triangle == Triangle::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
cublasDiagType_t flag(Diagonal diagonal) {
  return diagonal == Diagonal::stored ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
}

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

template <class T>
void DeviceBlas<T>::trsm(const Triangular& form, Matrix<const T> a, Matrix<T> b) {
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
