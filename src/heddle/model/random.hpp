#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

/// Random numbers that are the same on every machine, compiler and standard library.
///
/// A counter-based generator, Philox4x64-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
/// SC'11, doi:10.1145/2063384.2063405): the numbers are a function of a seed and of up to four words that say what they
/// are for, e.g. (task, class, attempt). Different words give independent streams, so draws need no common order and
/// adding a draw somewhere changes none elsewhere. A value type: a copy continues the same stream.
///
/// Distributions use integers and the five operations that IEEE 754 rounds correctly (+ - * / sqrt), never libm.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t a = 0, std::uint64_t b = 0,
                  std::uint64_t c = 0)
      : key_{seed, stream}, counter_{0, a, b, c} {}

  /// 64 independent bits.
  [[nodiscard]] std::uint64_t bits() {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }
  /// Uniform on the multiples of 2^-53 in [0, 1).
  [[nodiscard]] double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Uniform from low to high (low included; high possible by rounding); low <= high, both finite.
  [[nodiscard]] double uniform(double low, double high);
  /// Uniform on 0, 1, ..., n - 1, without bias; n > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);
  /// Normal with mean 0 and deviation 1.
  [[nodiscard]] double normal();

 private:
  using Block = std::array<std::uint64_t, 4>;

  void refill();

  std::array<std::uint64_t, 2> key_;
  Block counter_;  ///< the number of the next block, then what the numbers are for
  Block block_{};
  std::size_t used_ = 4;
};

/// Natural logarithm of a positive, finite, normal number; at most 2 units in the last place off, the same bits
/// everywhere, which std::log does not promise.
[[nodiscard]] double deterministic_log(double x);

/// e to the power x, at most 2 units in the last place off (where the result is a normal number), the same bits
/// everywhere; 0 below -745.2, infinity above 709.8.
[[nodiscard]] double deterministic_exp(double x);

}  // namespace heddle
