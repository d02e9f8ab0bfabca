#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::report {

/// Columns that harmless() text takes on a terminal: one per code point.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// Text that is wider than `width` columns is cut to them, with "…" at its end, or "..." where that must be ASCII; the
/// mark itself is cut where it has no room.
[[nodiscard]] std::string cut_to(std::string text, std::size_t width, bool ascii);

}  // namespace heddle::report
