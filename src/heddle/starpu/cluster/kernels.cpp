#include "heddle/starpu/cluster/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::starpu::cluster {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

void sum(In x, In y, Out z) {
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i] + y[i];
}

void difference(In x, In y, Out z) {
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i] - y[i];
}

void product(In x, In y, Out z) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(z.size()))));
  std::ranges::fill(z, 0);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t k = 0; k < side; ++k) {
      for (std::size_t j = 0; j < side; ++j) z[i * side + j] += x[i * side + k] * y[k * side + j];
    }
  }
}

void scale(In x, In y, Out z) {
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i] * y[0];
}

std::span<double> numbers(void* buffer) {
  auto* const first = reinterpret_cast<double*>(STARPU_VECTOR_GET_PTR(buffer));  // NOLINT(performance-no-int-to-ptr)
  return {first, STARPU_VECTOR_GET_NX(buffer)};
}

/// What StarPU calls.
template <void (*compute)(In, In, Out)>
void on_core(void* buffers[], void* /*arguments*/) {
  compute(numbers(buffers[0]), numbers(buffers[1]), numbers(buffers[2]));
}

template <void (*compute)(In, In, Out)>
starpu_codelet* codelet(const char* name) {
  static starpu_codelet codelet{};
  codelet.cpu_funcs[0] = on_core<compute>;
  codelet.nbuffers = 3;
  codelet.modes[0] = STARPU_R;
  codelet.modes[1] = STARPU_R;
  codelet.modes[2] = STARPU_W;
  codelet.name = name;
  return &codelet;
}

template <void (*compute)(In, In, Out)>
Kernel kernel(const char* name) {
  return {name, compute, codelet<compute>(name)};
}

}  // namespace

const std::array<Kernel, kKernels>& kernels() {
  static const std::array<Kernel, kKernels> all{kernel<sum>("sum"), kernel<difference>("difference"),
                                                kernel<product>("product"), kernel<scale>("scale")};
  return all;
}

}  // namespace heddle::starpu::cluster
