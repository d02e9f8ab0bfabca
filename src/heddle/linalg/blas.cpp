#include "heddle/linalg/blas.hpp"

#include <cblas.h>
#include <lapacke.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::linalg::blas {
namespace {

static_assert(std::is_same_v<Pivot, lapack_int>);

/// The names of the routines for one type of elements.
template <class T>
struct Routines;

template <>
struct Routines<double> {
  static constexpr auto kGemm = cblas_dgemm;
  static constexpr auto kSyrk = cblas_dsyrk;
  static constexpr auto kTrsm = cblas_dtrsm;
  static constexpr auto kTrmm = cblas_dtrmm;
  static constexpr auto kPotrf = LAPACKE_dpotrf_work;
  static constexpr auto kGetrf = LAPACKE_dgetrf_work;
  static constexpr auto kLaswp = LAPACKE_dlaswp_work;
  static constexpr auto kGeqrt = LAPACKE_dgeqrt_work;
  static constexpr auto kGemqrt = LAPACKE_dgemqrt_work;
  static constexpr auto kTpqrt = LAPACKE_dtpqrt_work;
  static constexpr auto kTpmqrt = LAPACKE_dtpmqrt_work;
};

template <>
struct Routines<float> {
  static constexpr auto kGemm = cblas_sgemm;
  static constexpr auto kSyrk = cblas_ssyrk;
  static constexpr auto kTrsm = cblas_strsm;
  static constexpr auto kTrmm = cblas_strmm;
  static constexpr auto kPotrf = LAPACKE_spotrf_work;
  static constexpr auto kGetrf = LAPACKE_sgetrf_work;
  static constexpr auto kLaswp = LAPACKE_slaswp_work;
  static constexpr auto kGeqrt = LAPACKE_sgeqrt_work;
  static constexpr auto kGemqrt = LAPACKE_sgemqrt_work;
  static constexpr auto kTpqrt = LAPACKE_stpqrt_work;
  static constexpr auto kTpmqrt = LAPACKE_stpmqrt_work;
};

constexpr lapack_int number(std::size_t value) {
  return static_cast<lapack_int>(value);
}

/// The step from one column to the next, as BLAS wants it even for matrices without rows.
template <class T>
lapack_int leading(const Matrix<T>& a) {
  return number(a.leading > 0 ? a.leading : 1);
}

CBLAS_TRANSPOSE flag(Op op) {
  return op == Op::plain ? CblasNoTrans : CblasTrans;
}
CBLAS_SIDE flag(Side side) {
  return side == Side::left ? CblasLeft : CblasRight;
}
CBLAS_UPLO flag(Triangle triangle) {
  return triangle == Triangle::lower ? CblasLower : CblasUpper;
}
CBLAS_DIAG flag(Diagonal diagonal) {
  return diagonal == Diagonal::stored ? CblasNonUnit : CblasUnit;
}
char letter(Op op) {
  return op == Op::plain ? 'N' : 'T';
}

/// What LAPACK found in the matrix; what it says of its arguments is our fault.
std::size_t found(lapack_int info, const char* routine) {
  if (info >= 0) return static_cast<std::size_t>(info);
  throw InternalError(std::string(routine) + " was called with an argument that is wrong, number " +
                      std::to_string(-info));
}

void expect_nothing(lapack_int info, const char* routine) {
  if (found(info, routine) != 0) throw InternalError(std::string(routine) + " failed");
}

}  // namespace

void use_one_thread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

void check_workspace(std::size_t threads, std::size_t more) {
  constexpr std::size_t kWorkspace = std::size_t{128} << 20;
  // Piece by piece, as OpenBLAS does: at once they could be more than the system believes that anyone needs.
  std::vector<std::pair<void*, std::size_t>> pieces;
  bool fits = true;
  for (std::size_t i = 0; i <= threads && fits; ++i) {
    const std::size_t bytes = i < threads ? kWorkspace : std::max<std::size_t>(more, 1);
    void* const piece = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fits = piece != MAP_FAILED;
    if (fits) pieces.emplace_back(piece, bytes);
  }
  for (const auto& [piece, bytes] : pieces) munmap(piece, bytes);
  if (fits) return;
  throw InputError("BLAS needs 128 MiB of memory for each of " + std::to_string(threads) +
                   " threads, which this process cannot have (ulimit -v); expected fewer workers or a higher limit");
}

template <class T>
void gemm(Op op_a, Op op_b, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c) {
  const std::size_t inner = op_a == Op::plain ? a.columns : a.rows;
  Routines<T>::kGemm(CblasColMajor, flag(op_a), flag(op_b), number(c.rows), number(c.columns), number(inner), alpha,
                     a.data, leading(a), b.data, leading(b), beta, c.data, leading(c));
}

template <class T>
void syrk(Matrix<const T> a, Matrix<T> c) {
  Routines<T>::kSyrk(CblasColMajor, CblasLower, CblasNoTrans, number(c.rows), number(a.columns), T(-1), a.data,
                     leading(a), T(1), c.data, leading(c));
}

template <class T>
void trsm(const Triangular& form, Matrix<const T> a, Matrix<T> b) {
  Routines<T>::kTrsm(CblasColMajor, flag(form.side), flag(form.triangle), flag(form.op), flag(form.diagonal),
                     number(b.rows), number(b.columns), T(1), a.data, leading(a), b.data, leading(b));
}

template <class T>
void trmm(const Triangular& form, Matrix<const T> a, Matrix<T> b) {
  Routines<T>::kTrmm(CblasColMajor, flag(form.side), flag(form.triangle), flag(form.op), flag(form.diagonal),
                     number(b.rows), number(b.columns), T(1), a.data, leading(a), b.data, leading(b));
}

template <class T>
std::size_t potrf(Matrix<T> a) {
  const std::size_t row =
      found(Routines<T>::kPotrf(LAPACK_COL_MAJOR, 'L', number(a.rows), a.data, leading(a)), "potrf");
  if (row != 0) return row;
  // OpenBLAS takes what is no number for positive.
  for (std::size_t k = 0; k < a.rows; ++k) {
    if (!(a(k, k) > 0)) return k + 1;
  }
  return 0;
}

template <class T>
std::size_t getrf(Matrix<T> a, std::span<Pivot> pivots) {
  return found(
      Routines<T>::kGetrf(LAPACK_COL_MAJOR, number(a.rows), number(a.columns), a.data, leading(a), pivots.data()),
      "getrf");
}

template <class T>
void laswp(Matrix<T> a, std::span<const Pivot> pivots) {
  expect_nothing(Routines<T>::kLaswp(LAPACK_COL_MAJOR, number(a.columns), a.data, leading(a), 1, number(pivots.size()),
                                     pivots.data(), 1),
                 "laswp");
}

template <class T>
void geqrt(Matrix<T> a, Matrix<T> t, T* work) {
  expect_nothing(Routines<T>::kGeqrt(LAPACK_COL_MAJOR, number(a.rows), number(a.columns), number(t.rows), a.data,
                                     leading(a), t.data, leading(t), work),
                 "geqrt");
}

template <class T>
void gemqrt(Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> c, T* work) {
  expect_nothing(
      Routines<T>::kGemqrt(LAPACK_COL_MAJOR, 'L', letter(op), number(c.rows), number(c.columns), number(v.columns),
                           number(t.rows), v.data, leading(v), t.data, leading(t), c.data, leading(c), work),
      "gemqrt");
}

template <class T>
void tpqrt(Matrix<T> r, Matrix<T> b, Matrix<T> t, T* work) {
  expect_nothing(Routines<T>::kTpqrt(LAPACK_COL_MAJOR, number(b.rows), number(b.columns), 0, number(t.rows), r.data,
                                     leading(r), b.data, leading(b), t.data, leading(t), work),
                 "tpqrt");
}

template <class T>
void tpmqrt(Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> a, Matrix<T> b, T* work) {
  expect_nothing(Routines<T>::kTpmqrt(LAPACK_COL_MAJOR, 'L', letter(op), number(b.rows), number(b.columns),
                                      number(v.columns), 0, number(t.rows), v.data, leading(v), t.data, leading(t),
                                      a.data, leading(a), b.data, leading(b), work),
                 "tpmqrt");
}

template void gemm<double>(Op, Op, double, Matrix<const double>, Matrix<const double>, double, Matrix<double>);
template void gemm<float>(Op, Op, float, Matrix<const float>, Matrix<const float>, float, Matrix<float>);
template void syrk<double>(Matrix<const double>, Matrix<double>);
template void syrk<float>(Matrix<const float>, Matrix<float>);
template void trsm<double>(const Triangular&, Matrix<const double>, Matrix<double>);
template void trsm<float>(const Triangular&, Matrix<const float>, Matrix<float>);
template void trmm<double>(const Triangular&, Matrix<const double>, Matrix<double>);
template void trmm<float>(const Triangular&, Matrix<const float>, Matrix<float>);
template std::size_t potrf<double>(Matrix<double>);
template std::size_t potrf<float>(Matrix<float>);
template std::size_t getrf<double>(Matrix<double>, std::span<Pivot>);
template std::size_t getrf<float>(Matrix<float>, std::span<Pivot>);
template void laswp<double>(Matrix<double>, std::span<const Pivot>);
template void laswp<float>(Matrix<float>, std::span<const Pivot>);
template void geqrt<double>(Matrix<double>, Matrix<double>, double*);
template void geqrt<float>(Matrix<float>, Matrix<float>, float*);
template void gemqrt<double>(Op, Matrix<const double>, Matrix<const double>, Matrix<double>, double*);
template void gemqrt<float>(Op, Matrix<const float>, Matrix<const float>, Matrix<float>, float*);
template void tpqrt<double>(Matrix<double>, Matrix<double>, Matrix<double>, double*);
template void tpqrt<float>(Matrix<float>, Matrix<float>, Matrix<float>, float*);
template void tpmqrt<double>(Op, Matrix<const double>, Matrix<const double>, Matrix<double>, Matrix<double>, double*);
template void tpmqrt<float>(Op, Matrix<const float>, Matrix<const float>, Matrix<float>, Matrix<float>, float*);

}  // namespace heddle::linalg::blas
