#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace heddle::experiment {

/// A tiled factorization as studies name it.
struct Factorization {
  const char* workload;  ///< "cholesky"
  const char* title;     ///< "Cholesky"
};

inline constexpr std::array kFactorizations{Factorization{"cholesky", "Cholesky"}, Factorization{"qr", "QR"},
                                            Factorization{"lu", "LU"}};

/// "cholesky:tiles=12"
[[nodiscard]] inline std::string factorize(const Factorization& factorization, std::size_t tiles) {
  return std::string(factorization.workload) + ":tiles=" + std::to_string(tiles);
}

/// The machine of Kumar's chapters 4 and 5, with other numbers of workers: "kumar-2017:cpu=20,gpu=4".
[[nodiscard]] inline std::string kumar_machine(std::size_t cpus, std::size_t gpus = 4) {
  return "kumar-2017:cpu=" + std::to_string(cpus) + ",gpu=" + std::to_string(gpus);
}

/// first, first + step, ..., last.
[[nodiscard]] inline std::vector<std::size_t> range(std::size_t first, std::size_t last, std::size_t step) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = first; i <= last; i += step) numbers.push_back(i);
  return numbers;
}

}  // namespace heddle::experiment
