// On devices the kernels do what they do on CPU cores, in every form in which the device runs them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/random.hpp"
#include "tests/linalg/on_device.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::linalg::test {
namespace {

using blas::Diagonal;
using blas::Op;
using blas::Side;
using blas::Triangle;
using heddle::test::DeviceTest;
using runtime::Implementation;
using runtime::KernelInfo;

constexpr Op kOps[] = {Op::plain, Op::transposed};

/// ||A - B|| / ||B|| in the Frobenius norm; infinite when only one of two elements is not a number.
template <class T>
double difference(Matrix<const T> a, Matrix<const T> b) {
  double error = 0;
  double norm = 0;
  for (std::size_t j = 0; j < a.columns; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      const double x = a(i, j);
      const double y = b(i, j);
      if (std::isnan(x) != std::isnan(y)) return std::numeric_limits<double>::infinity();
      if (std::isnan(y)) continue;
      error += (x - y) * (x - y);
      norm += y * y;
    }
  }
  return error == 0 ? 0 : std::sqrt(error / norm);
}

template <class T>
class TilesOnDevices : public DeviceTest {
 protected:
  using Data = std::vector<DenseMatrix<T>>;

  /// What must not be looked at.
  static constexpr T kNothing = std::numeric_limits<T>::quiet_NaN();
  static constexpr int kRounds = 16;

  /// One item, around a strip, around a block, or anything.
  std::size_t size() {
    constexpr std::size_t kSizes[] = {1, 31, 32, 33, 64, 65};
    const std::uint64_t choice = random_.below(2 * std::size(kSizes));
    return choice < std::size(kSizes) ? kSizes[choice] : 1 + random_.below(150);
  }
  DenseMatrix<T> matrix(std::size_t rows, std::size_t columns) {
    return random_matrix<T>(rows, columns, random_.bits());
  }
  /// Well conditioned, in the triangle that the form says; `more` rows below it.
  DenseMatrix<T> triangular(const blas::Triangular& form, std::size_t order, std::size_t more) {
    DenseMatrix<T> result = matrix(order + more, order);
    const Matrix<T> a = result.view();
    for (std::size_t j = 0; j < order; ++j) {
      for (std::size_t i = 0; i < order + more; ++i) {
        const bool stored = form.triangle == Triangle::lower ? i > j : i < j;
        a(i, j) = i < order && stored ? a(i, j) / static_cast<T>(order) : kNothing;
      }
      if (form.diagonal == Diagonal::stored) a(j, j) = T(1) + static_cast<T>(j % 3);
    }
    return result;
  }

  /// Runs the implementations for CPU cores and for devices on copies of the data and compares what has become
  /// of them.
  void expect_same(const KernelInfo& kernel, const std::byte* values, const Data& data) {
    Data expected = data;
    kernel.implementations.front().run(job(runtime::pointers_to(arguments(expected)), values));
    double longest = 0;
    std::string shapes;
    for (const DenseMatrix<T>& one : data) {
      const auto [address, rows, columns, leading] = one.view();
      longest = std::max({longest, static_cast<double>(rows), static_cast<double>(columns)});
      shapes += " " + std::to_string(rows) + "x" + std::to_string(columns);
    }
    const double bound = 2 * (longest + 1) * std::numeric_limits<T>::epsilon();
    for (const auto& device : devices_) {
      for (const Implementation& one : kernel.implementations) {
        if (!device->runs(one)) continue;
        Data found = data;
        run_on(*device, one, values, arguments(found));
        for (std::size_t i = 0; i < data.size(); ++i) {
          EXPECT_LE(difference<T>(found[i].view(), expected[i].view()), bound) << kernel.name << " of" << shapes;
        }
      }
    }
  }

  Random random_{7};
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(TilesOnDevices, Precisions);

TYPED_TEST(TilesOnDevices, Gemm) {
  using T = TypeParam;
  for (const Op op_a : kOps) {
    for (const Op op_b : kOps) {
      for (int round = 0; round < this->kRounds; ++round) {
        const std::size_t m = this->size();
        const std::size_t n = this->size();
        const std::size_t k = this->size();
        const Product<T> form{op_a, op_b, T(round % 2 == 0 ? -1 : 0.75), T(round % 3)};
        DenseMatrix<T> c = this->matrix(m, n);
        if (form.beta == 0) std::fill_n(c.view().data, m * n, this->kNothing);
        this->expect_same(*Kernels<T>::get().gemm.info(), bytes(form),
                          {op_a == Op::plain ? this->matrix(m, k) : this->matrix(k, m),
                           op_b == Op::plain ? this->matrix(k, n) : this->matrix(n, k), std::move(c)});
      }
    }
  }
}

TYPED_TEST(TilesOnDevices, SyrkLeavesTheUpperTriangleAlone) {
  for (int round = 0; round < this->kRounds; ++round) {
    const std::size_t n = this->size();
    DenseMatrix<TypeParam> c = this->matrix(n, n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < j; ++i) c.view()(i, j) = this->kNothing;
    }
    this->expect_same(*Kernels<TypeParam>::get().syrk.info(), nullptr, {this->matrix(n, this->size()), std::move(c)});
  }
}

TYPED_TEST(TilesOnDevices, TrsmInAllForms) {
  for (unsigned choice = 0; choice < 16; ++choice) {
    const blas::Triangular form{static_cast<Side>(choice & 1U), static_cast<Triangle>(choice >> 1U & 1U),
                                static_cast<Op>(choice >> 2U & 1U), static_cast<Diagonal>(choice >> 3U)};
    for (int round = 0; round < this->kRounds; ++round) {
      const std::size_t order = this->size();
      const std::size_t sides = this->size();
      // Of a triangle that stands above other elements only its own rows count, in A and in B.
      const std::size_t more = form.side == Side::left && round % 2 == 0 ? this->size() : 0;
      this->expect_same(*Kernels<TypeParam>::get().trsm.info(), bytes(form),
                        {this->triangular(form, order, more),
                         form.side == Side::left ? this->matrix(order + more, sides) : this->matrix(sides, order)});
    }
  }
}

/// Of an order at which devices solve them block by block, with and without a part of a block behind.
TYPED_TEST(TilesOnDevices, LargeTrsmInAllForms) {
  // Those whose diagonal is stored, or all; two where only threads are looked at.
  constexpr unsigned kForms = heddle::test::kThreadsSanitized ? 2 : heddle::test::kSanitized ? 8 : 16;
  for (unsigned choice = 0; choice < kForms; ++choice) {
    const blas::Triangular form{static_cast<Side>(choice & 1U), static_cast<Triangle>(choice >> 1U & 1U),
                                static_cast<Op>(choice >> 2U & 1U), static_cast<Diagonal>(choice >> 3U)};
    for (const std::size_t order : {512, 769 + static_cast<int>(choice)}) {
      this->expect_same(*Kernels<TypeParam>::get().trsm.info(), bytes(form),
                        {this->triangular(form, order, 0),
                         form.side == Side::left ? this->matrix(order, 257) : this->matrix(257, order)});
    }
  }
}

/// Below the diagonals of its blocks T holds anything.
template <class T>
void spoil_below_diagonals(Matrix<T> t) {
  for (std::size_t j = 0; j < t.columns; ++j) {
    for (std::size_t i = j % t.rows + 1; i < t.rows; ++i) t(i, j) = std::numeric_limits<T>::quiet_NaN();
  }
}

TYPED_TEST(TilesOnDevices, OrmqrAppliesWhatGeqrtMakes) {
  using T = TypeParam;
  for (const Op op : kOps) {
    for (int round = 0; round < this->kRounds; ++round) {
      const std::size_t k = this->size();
      const std::size_t m = k + (round % 2 == 0 ? this->size() : 0);
      std::vector<DenseMatrix<T>> factors = {this->matrix(m, k), {m, k}, {inner_block(k), k}};
      Kernels<T>::get().geqrt.info()->implementations.front().run(
          job(runtime::pointers_to(arguments(factors)), nullptr));
      spoil_below_diagonals(factors[2].view());
      this->expect_same(*Kernels<T>::get().ormqr.info(), bytes(op),
                        {factors[1], factors[2], this->matrix(m, this->size())});
    }
  }
}

TYPED_TEST(TilesOnDevices, TsmqrAppliesWhatTsqrtMakes) {
  using T = TypeParam;
  for (const Op op : kOps) {
    for (int round = 0; round < this->kRounds; ++round) {
      const std::size_t k = this->size();
      const std::size_t m = this->size();
      const std::size_t n = this->size();
      const std::size_t more = round % 2 == 0 ? this->size() : 0;
      std::vector<DenseMatrix<T>> factors = {this->matrix(k, k), this->matrix(m, k), {inner_block(k), k}};
      Kernels<T>::get().tsqrt.info()->implementations.front().run(
          job(runtime::pointers_to(arguments(factors)), nullptr));
      spoil_below_diagonals(factors[2].view());
      this->expect_same(*Kernels<T>::get().tsmqr.info(), bytes(op),
                        {factors[1], factors[2], this->matrix(k + more, n), this->matrix(m, n)});
    }
  }
}

}  // namespace
}  // namespace heddle::linalg::test
