#include <algorithm>
#include <cmath>
#include <utility>

#include "heddle/model/routes.hpp"

namespace heddle {

ByteRate::ByteRate(double bandwidth) {
  constexpr double kSlowest = 0x1p-20;
  constexpr double kFastest = 0x1p115;
  constexpr int kMantissaBits = 53;
  int exponent = 0;
  const double mantissa = std::frexp(std::clamp(bandwidth, kSlowest, kFastest), &exponent);
  bytes_ = static_cast<Wide>(std::ldexp(mantissa, kMantissaBits));
  exponent -= kMantissaBits;
  for (; exponent < 0 && bytes_ % 2 == 0; ++exponent) bytes_ /= 2;
  bytes_ <<= std::max(exponent, 0);
  picoseconds_ = static_cast<Wide>(kSecond) << std::max(-exponent, 0);
  const Wide divisor = greatest_common_divisor(bytes_, picoseconds_);
  bytes_ /= divisor;
  picoseconds_ /= divisor;
}

ByteRate::Wide greatest_common_divisor(ByteRate::Wide a, ByteRate::Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

Time transfer_time(std::int64_t bytes, const ByteRate& rate, std::size_t sharers) {
  ByteRate::Wide work = 0;
  if (__builtin_mul_overflow(static_cast<ByteRate::Wide>(bytes), rate.picoseconds(), &work) ||
      __builtin_mul_overflow(work, static_cast<ByteRate::Wide>(sharers), &work)) {
    return kLongestTransfer;
  }
  const ByteRate::Wide time = divide_up(work, rate.bytes());
  return time < static_cast<ByteRate::Wide>(kLongestTransfer) ? static_cast<Time>(time) : kLongestTransfer;
}

}  // namespace heddle
