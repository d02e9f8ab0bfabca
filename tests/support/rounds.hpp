#pragma once

#include <concepts>

namespace heddle::test {

/// Whether a sanitizer watches this program.
#ifdef HEDDLE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
/// Whether that is the one for threads.
#ifdef HEDDLE_THREADS_SANITIZED
inline constexpr bool kThreadsSanitized = true;
#else
inline constexpr bool kThreadsSanitized = false;
#endif

/// How often a test tries something at random: `count` times. Under the sanitizers, which make programs ten times
/// slower and look at how they treat memory and threads, a twentieth of that; the other builds judge results.
template <std::integral Count>
[[nodiscard]] constexpr Count rounds(Count count) {
  return kSanitized ? (count + 19) / 20 : count;
}

}  // namespace heddle::test
