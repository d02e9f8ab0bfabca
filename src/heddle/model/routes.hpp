#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/platform.hpp"
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

/// How data gets from one memory to another: over the direct link, or over two by way of `ram`. A platform without
/// links has no routes: data is everywhere at once.
class Routes {
 public:
  Routes() = default;
  /// Throws InputError when the platform has links but none that lead into, or out of, the memory of some worker.
  explicit Routes(const Platform& platform);

  /// Whether moving data takes no time, because the platform has no links.
  [[nodiscard]] bool free() const { return hops_.empty(); }
  /// Positions in Platform::links() of the links to take, one or two; none from a memory to itself.
  [[nodiscard]] std::span<const std::uint32_t> hops(MemoryId from, MemoryId to) const {
    const Route& route = hops_[index(from) * memories_ + index(to)];
    return {route.link, route.count};
  }
  /// How long a copy of `bytes` takes when `sharers` transfers, this one among them, divide the bandwidth evenly:
  /// latency + bytes / bandwidth of each link on the way, each rounded up to the picosecond. Zero without links; at
  /// most kLongestTransfer.
  [[nodiscard]] Time duration(MemoryId from, MemoryId to, std::int64_t bytes, std::size_t sharers = 1) const;

 private:
  struct Route {
    std::uint32_t link[2];
    std::uint32_t count = 0;
  };
  struct Speed {
    Time latency;
    ByteRate rate;
  };

  std::size_t memories_ = 0;
  std::vector<Route> hops_;   ///< by source and destination; empty without links
  std::vector<Speed> speed_;  ///< by link
};

}  // namespace heddle
