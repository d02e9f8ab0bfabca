#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/model/time.hpp"

namespace heddle {

/// A bandwidth as an exact fraction in lowest terms: so many bytes in so many picoseconds.
class ByteRate {
 public:
  __extension__ using Wide = unsigned __int128;

  /// Of bytes per second, above 0. Where no byte would arrive within kLongestTransfer, or 64 bits of them within a
  /// picosecond, it stands for another such bandwidth, so that the fraction fits.
  explicit ByteRate(double bandwidth);

  [[nodiscard]] Wide bytes() const { return bytes_; }
  [[nodiscard]] Wide picoseconds() const { return picoseconds_; }

 private:
  Wide bytes_;
  Wide picoseconds_;
};

[[nodiscard]] ByteRate::Wide greatest_common_divisor(ByteRate::Wide a, ByteRate::Wide b);

/// The quotient, rounded up.
[[nodiscard]] constexpr ByteRate::Wide divide_up(ByteRate::Wide dividend, ByteRate::Wide divisor) {
  const ByteRate::Wide quotient = dividend / divisor;
  return quotient + (quotient * divisor < dividend ? 1 : 0);
}

/// A transfer that takes so long is as good as impossible: estimates stop here, and simulations refuse it.
inline constexpr Time kLongestTransfer = kMaxTime / 16;

/// How long `bytes` take when `sharers` transfers divide the rate evenly, rounded up to the picosecond; at most
/// kLongestTransfer.
[[nodiscard]] Time transfer_time(std::int64_t bytes, const ByteRate& rate, std::size_t sharers = 1);

}  // namespace heddle
