#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/time.hpp"

/// What the readers of text share.
namespace heddle::io {

/// `text` as it can stand in a sentence: valid UTF-8 without control characters, cut after about 60 bytes.
[[nodiscard]] std::string printable(std::string_view text);
/// The same between single quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The length in bytes of the UTF-8 character at the beginning of `text`; 0 when there is no valid one.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// The file's name without folder and suffix.
[[nodiscard]] std::string stem(std::string_view source);

/// A whole number, the entire text of which is used.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// The lines of a text, one after the other, without their ends ("\n" or "\r\n").
class Lines {
 public:
  Lines(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  /// The next line; nothing at the end.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Of the line that `next` gave last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }
  /// Throws InputError: file, the current line, and the sentence.
  [[noreturn]] void fail(std::string_view sentence) const { fail_at(number_, sentence); }
  [[noreturn]] void fail_at(std::size_t line, std::string_view sentence) const;

 private:
  std::string_view rest_;
  std::string_view source_;
  std::size_t number_ = 0;
};

/// Fills `fields` with the parts of a line between any of the `separators`.
void split(std::string_view line, std::string_view separators, std::vector<std::string_view>& fields);

/// Blanks within a line.
inline constexpr std::string_view kBlanks = " \t\r\f\v";

/// A duration in a text file; fails at the current line when it is no number, negative, or too large.
[[nodiscard]] Time parse_duration(std::string_view text, Time unit, const Lines& lines);
/// The same, negative ones included.
[[nodiscard]] Time parse_any_time(std::string_view text, Time unit, const Lines& lines);

}  // namespace heddle::io
