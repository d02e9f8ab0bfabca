#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace heddle::bench {

/// Without pivoting for LU: what both sides do on the GPU.
enum class Algorithm : std::uint8_t { cholesky, lu, qr };

/// Where the matrix lies before and after: in pinned memory of the host, or in the memory of a GPU.
enum class Residence : std::uint8_t { host, device };

/// As options and tables spell them. Throws std::invalid_argument for other names.
[[nodiscard]] std::string to_string(Algorithm algorithm);
[[nodiscard]] std::string to_string(Residence residence);
[[nodiscard]] Algorithm parse_algorithm(const std::string& name);
[[nodiscard]] Residence parse_residence(const std::string& name);

/// Floating-point operations on a square matrix, their leading term.
[[nodiscard]] double operations(Algorithm algorithm, std::size_t order);

/// Seconds of the fastest of some calls; before each of them, prepare() is called and not timed.
[[nodiscard]] double shortest_seconds(int repetitions, const std::function<void()>& prepare,
                                      const std::function<void()>& call);

}  // namespace heddle::bench
