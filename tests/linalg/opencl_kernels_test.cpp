// The synthetic kernels in OpenCL C.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/linalg/opencl_program.hpp"
#include "heddle/model/random.hpp"
#include "tests/linalg/on_device.hpp"

namespace heddle::linalg::test {
namespace {

class SyntheticOnOpenCl : public heddle::test::DeviceTest {
 protected:
  using Element = std::uint32_t;
  using Input = std::span<const Element>;
  using Output = std::span<Element>;
  using InputMatrix = Matrix<const Element>;
  using All = std::vector<Element>;

  DenseMatrix<Element> matrix(std::size_t rows, std::size_t columns) {
    DenseMatrix<Element> result(rows, columns);
    std::generate_n(result.view().data, rows * columns, [&] { return static_cast<Element>(random_.bits()); });
    return result;
  }
  static All elements(DenseMatrix<Element>& a) {
    const Matrix<Element> view = a.view();
    return {view.data, view.data + view.rows * view.columns};
  }
  /// What becomes of the last datum.
  template <class... P>
  void expect_result(const char* entry, const std::byte* values, const std::vector<DenseMatrix<Element>>& data,
                     const All& expected) {
    const auto kernel = runtime::on_opencl<P...>(opencl::synthetic_program(), entry);
    for (const auto& device : devices_) {
      std::vector<DenseMatrix<Element>> copies = data;
      run_on(*device, kernel.implementation, values, arguments(copies));
      EXPECT_EQ(elements(copies.back()), expected) << entry;
    }
  }

 private:
  Random random_{7};
};

TEST_F(SyntheticOnOpenCl, VectorsAreAddedSubtractedAndScaled) {
  DenseMatrix<Element> x = matrix(1000, 1);
  DenseMatrix<Element> y = matrix(1000, 1);
  const Element factor = 0x9e3779b9;
  All sum = elements(y);
  All rest = elements(y);
  All product = elements(y);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += x.view()(i, 0);
    rest[i] -= x.view()(i, 0);
    product[i] *= factor;
  }
  expect_result<Input, Output>("add", nullptr, {x, y}, sum);
  expect_result<Input, Output>("subtract", nullptr, {x, y}, rest);
  expect_result<Element, Output>("scale", bytes(factor), {y}, product);
}

TEST_F(SyntheticOnOpenCl, MatricesAreMultiplied) {
  DenseMatrix<Element> a = matrix(20, 7);
  DenseMatrix<Element> b = matrix(7, 33);
  DenseMatrix<Element> c = matrix(20, 33);
  DenseMatrix<Element> expected = c;
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < 33; ++j) {
      for (std::size_t k = 0; k < 7; ++k) expected.view()(i, j) += a.view()(i, k) * b.view()(k, j);
    }
  }
  expect_result<InputMatrix, InputMatrix, Matrix<Element>>("multiply", nullptr, {a, b, c}, elements(expected));
}

}  // namespace
}  // namespace heddle::linalg::test
