#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// Simulated instants and durations: whole picoseconds (106 days fit), so that what is simultaneous stays so.
using Time = std::int64_t;

/// Time summed over workers, which may pass 64 bits.
__extension__ using TimeSum = __int128;

inline constexpr Time kSecond = 1'000'000'000'000;
inline constexpr Time kMillisecond = kSecond / 1'000;
inline constexpr Time kMicrosecond = kSecond / 1'000'000;
inline constexpr Time kMaxTime = std::numeric_limits<Time>::max();

/// The duration of a task on a class that cannot run it; larger than every real duration.
inline constexpr Time kCannotRun = kMaxTime;

/// Reads a decimal number ("12", "0.25", "1.5e-3") of units of `unit` picoseconds (a power of ten), exactly, rounded
/// half away from zero to the picosecond. Nothing when the text is no decimal number; throws std::out_of_range when
/// the value does not fit.
[[nodiscard]] std::optional<Time> parse_time(std::string_view text, Time unit = kSecond);

/// The instant or duration in seconds as an exact decimal without superfluous zeros ("0.0105", "7.0").
[[nodiscard]] std::string format_seconds(TimeSum time);

/// Seconds as the nearest double: for people and plots, never for a decision.
[[nodiscard]] constexpr double to_seconds(TimeSum time) {
  return static_cast<double>(time) / static_cast<double>(kSecond);
}

}  // namespace heddle
