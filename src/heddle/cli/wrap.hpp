#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::cli {

/// The text as lines of at most `width` columns, broken at spaces, each after `indent` spaces and ended by "\n". A word
/// that is longer than a line is broken after a comma, or stands on a line of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

/// The width that texts are wrapped at: the terminal's, but no more than is easy to read; 80 where there is none.
[[nodiscard]] std::size_t text_width();

}  // namespace heddle::cli
