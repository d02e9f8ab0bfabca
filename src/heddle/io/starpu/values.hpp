#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/io/text.hpp"

namespace heddle::io {

/// The white-space separated values of a text in which a line that begins with '#' is a comment. Failing means
/// InputError: file, line, what was found, what was expected.
class Values {
 public:
  Values(std::string_view text, std::string_view source) : lines_(text, source) {}

  [[nodiscard]] bool at_end();
  /// The next value; fails at the end of the text.
  std::string_view expect_word(std::string_view what);
  /// The values left on the current line or, when there are none, those of the next line that has some.
  const std::vector<std::string_view>& expect_line(std::string_view what);
  /// The next value as a whole number; fails outside of least and most.
  std::int64_t expect_integer(std::string_view what, std::int64_t least, std::int64_t most);

  /// The same for a value of an expect_line.
  [[nodiscard]] std::int64_t integer_of(std::string_view word, std::string_view what, std::int64_t least,
                                        std::int64_t most) const;
  [[nodiscard]] Time duration_of(std::string_view word, Time unit) const { return parse_duration(word, unit, lines_); }
  [[noreturn]] void fail(std::string_view sentence) const { lines_.fail(sentence); }

 private:
  /// Leaves words_ with the next line that has values; false at the end of the text.
  bool next_line();

  Lines lines_;
  std::vector<std::string_view> words_;
  std::size_t taken_ = 0;  ///< of words_
};

/// Whether a value says that it is none, in one of C's spellings.
[[nodiscard]] bool is_nan(std::string_view word);

}  // namespace heddle::io
