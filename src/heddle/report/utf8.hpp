#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::report {

/// The first code point of `text` and how many bytes it takes. What is no UTF-8 (overlong forms and surrogates
/// included) is one byte long and reads as U+FFFD, the replacement character. `text` is not empty.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
  bool valid;
};
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// `text` with every byte that is no UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace heddle::report
