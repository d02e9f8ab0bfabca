#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>
#include <span>

namespace heddle::starpu::cluster {

inline constexpr std::size_t kKernels = 4;

/// A type of task: z = f(x, y), on cores, each of which is a vector or the square matrix of as many numbers.
struct Kernel {
  const char* name;
  void (*compute)(std::span<const double> x, std::span<const double> y, std::span<double> z);
  starpu_codelet* codelet;  ///< x and y are read, z is written
};

/// The four kernels that Gazolla 2017 verified (section 5.1.2): vector sum, vector difference, square matrix product,
/// and vector times scalar (the first of y).
[[nodiscard]] const std::array<Kernel, kKernels>& kernels();

}  // namespace heddle::starpu::cluster
