#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "heddle/linalg/block_reflectors.hpp"
#include "heddle/linalg/cuda/device_blas.hpp"
#include "heddle/linalg/cuda_functions.hpp"
#include "heddle/linalg/kernels.hpp"
#include "heddle/linalg/tiled_matrix.hpp"
#include "heddle/runtime/devices/module.hpp"

namespace heddle::linalg::cuda {
namespace {

using blas::Op;
using blas::Side;
using blas::Triangular;
using runtime::Job;
using runtime::Kernel;
using runtime::TypedImplementation;

template <class T>
DeviceBlas<T> blas_of(const Job& job) {
  return DeviceBlas<T>(Workplace::of(job));
}

// That a matrix cannot be factorized is told when it is known: these two wait for the device.

template <class T>
void potrf(const Job& job, std::size_t first_row, Matrix<T> a) {
  if (const std::size_t row = blas_of<T>(job).potrf(a); row != 0) {
    throw Breakdown(first_row + row - 1, "is not positive definite");
  }
}

template <class T>
void getrf(const Job& job, std::size_t first_row, Matrix<T> a) {
  DeviceBlas<T> blas = blas_of<T>(job);
  if (const std::size_t row = blas.getrf(a); row != 0) throw Breakdown(first_row + row - 1, "has a zero pivot");
  if (const std::size_t row = blas.find_nan(a); row != 0) {
    throw Breakdown(first_row + row - 1, "has a pivot that is not a number");
  }
}

template <class T>
void syrk(const Job& job, Matrix<const T> a, Matrix<T> c) {
  blas_of<T>(job).syrk(a, c);
}

template <class T>
void gemm(const Job& job, Product<T> form, Matrix<const T> a, Matrix<const T> b, Matrix<T> c) {
  blas_of<T>(job).gemm(form.op_a, form.op_b, form.alpha, a, b, form.beta, c);
}

/// Of a triangle that stands above other elements only its own rows count, in A and in B.
template <class T>
void trsm(const Job& job, Triangular form, Matrix<const T> a, Matrix<T> b) {
  const std::size_t order = std::min(a.rows, a.columns);
  const Matrix<T> sides = form.side == Side::left ? b.block(0, 0, order, b.columns) : b;
  blas_of<T>(job).trsm(form, a.block(0, 0, order, order), sides);
}

/// Memory for a block of reflectors times a matrix of so many columns.
template <class T>
Matrix<T> product(const Job& job, std::size_t block, std::size_t columns) {
  return {Workplace::of(job).scratch<T>(block * columns), block, columns, block};
}

template <class T>
void ormqr(const Job& job, Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> c) {
  auto blas = blas_of<T>(job);
  apply_reflectors(blas, op, v, t, c, product<T>(job, t.rows, c.columns));
}

template <class T>
void tsmqr(const Job& job, Op op, Matrix<const T> v, Matrix<const T> t, Matrix<T> a, Matrix<T> b) {
  auto blas = blas_of<T>(job);
  apply_reflectors(blas, op, v, t, a, b, product<T>(job, t.rows, b.columns));
}

using Functions = std::map<std::string_view, Function>;

/// A function by the name of the kernel for whose parameters it is.
template <class T, class... P>
Functions::value_type entry(std::string_view name, Kernel<P...> Kernels<T>::* /*kernel*/,
                            TypedImplementation<P...> implementation) {
  return {name, std::move(implementation.implementation.run)};
}

template <class T>
const Functions& functions() {
  using K = Kernels<T>;
  using runtime::on_cuda;
  // Never destroyed: what it stands on may be gone at exit.
  static const auto& all = *new Functions{
      entry("potrf", &K::potrf, on_cuda(potrf<T>)), entry("getrf", &K::getrf, on_cuda(getrf<T>)),
      entry("syrk", &K::syrk, on_cuda(syrk<T>)),    entry("gemm", &K::gemm, on_cuda(gemm<T>)),
      entry("trsm", &K::trsm, on_cuda(trsm<T>)),    entry("ormqr", &K::ormqr, on_cuda(ormqr<T>)),
      entry("tsmqr", &K::tsmqr, on_cuda(tsmqr<T>)),
  };
  return all;
}

}  // namespace
}  // namespace heddle::linalg::cuda

extern "C" [[gnu::visibility("default")]] const heddle::linalg::cuda::Function* heddle_cuda_function(
    std::uint32_t module_interface, const char* name, std::size_t element_bytes) {
  using heddle::linalg::cuda::functions;
  if (module_interface != heddle::runtime::kModuleInterface) return nullptr;
  const auto& all = element_bytes == sizeof(double) ? functions<double>() : functions<float>();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}
