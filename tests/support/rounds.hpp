#pragma once

#include <concepts>

namespace heddle::test {

/// How often a test tries something at random: `count` times. Under the sanitizers, which make programs ten times
/// slower and look at how they treat memory and threads, a tenth of that; the other builds judge results.
template <std::integral Count>
[[nodiscard]] constexpr Count rounds(Count count) {
#ifdef HEDDLE_SANITIZED
  return (count + 9) / 10;
#else
  return count;
#endif
}

}  // namespace heddle::test
