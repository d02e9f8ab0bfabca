// Products of matrices apply reflectors as LAPACK does. Of what runs on CUDA devices, this is what no library has.

#include "heddle/linalg/block_reflectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/random.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::linalg::test {
namespace {

using blas::Op;

/// BLAS of the CPU, as DeviceBlas is on devices.
struct HostBlas {
  template <class T>
  void gemm(Op op_a, Op op_b, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c) {
    blas::gemm<T>(op_a, op_b, alpha, a, b, beta, c);
  }
  template <class T>
  void trmm(const blas::Triangular& form, Matrix<const T> a, Matrix<T> b) {
    blas::trmm<T>(form, a, b);
  }
  template <class T>
  void add(T alpha, Matrix<const T> x, Matrix<T> y) {
    for (std::size_t j = 0; j < y.columns; ++j) {
      for (std::size_t i = 0; i < y.rows; ++i) y(i, j) += alpha * x(i, j);
    }
  }
};

template <class T>
void expect_same(Matrix<const T> found, Matrix<const T> expected) {
  for (std::size_t j = 0; j < found.columns; ++j) {
    for (std::size_t i = 0; i < found.rows; ++i) {
      ASSERT_NEAR(found(i, j), expected(i, j), 1000 * std::numeric_limits<T>::epsilon()) << i << ", " << j;
    }
  }
}

/// What was never written must not be looked at.
template <class T>
DenseMatrix<T> unwritten(std::size_t rows, std::size_t columns) {
  DenseMatrix<T> result(rows, columns);
  std::fill_n(result.view().data, rows * columns, std::numeric_limits<T>::quiet_NaN());
  return result;
}

template <class T>
class BlockReflectors : public testing::Test {
 protected:
  std::size_t size() { return 1 + random_.below(100); }
  DenseMatrix<T> matrix(std::size_t rows, std::size_t columns) {
    return random_matrix<T>(rows, columns, random_.bits());
  }
  HostBlas blas_;
  std::vector<T> work_ = std::vector<T>(100 * 200);

 private:
  Random random_{7};
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(BlockReflectors, Precisions);

TYPED_TEST(BlockReflectors, OfGeqrt) {
  using T = TypeParam;
  for (int round = 0; round < heddle::test::rounds(100); ++round) {
    const Op op = round % 2 == 0 ? Op::plain : Op::transposed;
    const std::size_t k = this->size();
    const std::size_t m = k + (round % 3 == 0 ? this->size() : 0);
    const std::size_t n = this->size();
    DenseMatrix<T> v = this->matrix(m, k);
    DenseMatrix<T> t = unwritten<T>(inner_block(k), k);
    blas::geqrt<T>(v.view(), t.view(), this->work_.data());
    DenseMatrix<T> found = this->matrix(m, n);
    DenseMatrix<T> expected = found;
    blas::gemqrt<T>(op, v.view(), t.view(), expected.view(), this->work_.data());
    for (std::size_t j = 0; j < k; ++j) {  // as the kernel hands V on
      for (std::size_t i = 0; i <= j; ++i) v.view()(i, j) = T(i == j);
    }
    DenseMatrix<T> work = unwritten<T>(inner_block(k), n);
    apply_reflectors<T>(this->blas_, op, v.view(), t.view(), found.view(), work.view());
    expect_same<T>(found.view(), expected.view());
  }
}

TYPED_TEST(BlockReflectors, OfTsqrt) {
  using T = TypeParam;
  for (int round = 0; round < heddle::test::rounds(100); ++round) {
    const Op op = round % 2 == 0 ? Op::plain : Op::transposed;
    const std::size_t k = this->size();
    const std::size_t m = this->size();
    const std::size_t n = this->size();
    const std::size_t more = round % 3 == 0 ? this->size() : 0;  // rows of A that do not take part
    DenseMatrix<T> r = this->matrix(k, k);
    DenseMatrix<T> v = this->matrix(m, k);
    DenseMatrix<T> t = unwritten<T>(inner_block(k), k);
    blas::tpqrt<T>(r.view(), v.view(), t.view(), this->work_.data());
    DenseMatrix<T> a = this->matrix(k + more, n);
    DenseMatrix<T> b = this->matrix(m, n);
    DenseMatrix<T> expected_a = a;
    DenseMatrix<T> expected_b = b;
    blas::tpmqrt<T>(op, v.view(), t.view(), expected_a.view().block(0, 0, k, n), expected_b.view(), this->work_.data());
    DenseMatrix<T> work = unwritten<T>(inner_block(k), n);
    apply_reflectors<T>(this->blas_, op, v.view(), t.view(), a.view(), b.view(), work.view());
    expect_same<T>(a.view(), expected_a.view());
    expect_same<T>(b.view(), expected_b.view());
  }
}

}  // namespace
}  // namespace heddle::linalg::test
