#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/model/time.hpp"

namespace heddle::io {

/// An instant on the calendar.
struct Instant {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z
  Time fraction = 0;         ///< of a second, in picoseconds

  auto operator<=>(const Instant&) const = default;
  /// How long after another one; nothing where that is more than 100 days.
  [[nodiscard]] std::optional<Time> since(const Instant& first) const;
};

/// Reads ISO 8601 as RFC 3339 has it: "2020-04-01T15:10:53.25-08:00", "...Z"; without a zone, in UTC. A blank may stand
/// for the T, and a zone may leave out its colon or its minutes. Digits behind picoseconds are dropped. Nothing when
/// the text is something else.
[[nodiscard]] std::optional<Instant> parse_instant(std::string_view text);

}  // namespace heddle::io
