#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heddle/linalg/testing.hpp"
#include "tests/support/device_test.hpp"

/// Kernels outside of any runtime, on CPU cores and on devices.
namespace heddle::linalg::test {

using runtime::Matrix;

/// A job outside of any runtime.
inline runtime::Job job(std::span<const runtime::Argument* const> arguments, const std::byte* values) {
  static runtime::Team alone(1, {});
  return {WorkerId(0), alone, arguments, values, {}};
}

template <class Element>
std::vector<runtime::Argument> arguments(std::vector<DenseMatrix<Element>>& data) {
  std::vector<runtime::Argument> result;
  for (DenseMatrix<Element>& one : data) {
    const Matrix<Element> view = one.view();
    result.push_back(
        {runtime::ViewTraits<Matrix<Element>>::piece(view), runtime::ViewTraits<Matrix<Element>>::shape(view)});
  }
  return result;
}

/// On copies of the data in the memory of the device, which come back.
inline void run_on(runtime::Device& device, const runtime::Implementation& implementation, const std::byte* values,
                   const std::vector<runtime::Argument>& here) {
  std::vector<heddle::test::Memory> memory;
  std::vector<runtime::Argument> there;
  heddle::test::Operations operations;
  for (const runtime::Argument& one : here) {
    memory.emplace_back(device, one.shape.bytes());
    there.push_back({{memory.back().get(), one.shape.rows}, one.shape});
    device.copy_in(one.shape, one.piece, memory.back().get(), operations.next());
  }
  operations.expect_success();
  const std::vector<const runtime::Argument*> pointers = runtime::pointers_to(there);
  device.run(implementation, job(pointers, values), operations.next());
  operations.expect_success();
  for (std::size_t i = 0; i < here.size(); ++i) {
    device.copy_out(here[i].shape, memory[i].get(), here[i].piece, operations.next());
  }
  operations.expect_success();
}

template <class Value>
const std::byte* bytes(const Value& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

}  // namespace heddle::linalg::test
