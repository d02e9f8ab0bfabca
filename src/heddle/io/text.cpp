#include "heddle/io/text.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "heddle/model/error.hpp"

namespace heddle::io {

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Over-long forms, surrogates, and what lies beyond Unicode.
  const bool too_low = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool too_high = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return too_low || too_high ? 0 : length;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result;
  while (!text.empty() && result.size() < kLongest) {
    const std::size_t length = utf8_length(text);
    const bool shown = length > 1 || (length == 1 && text[0] >= ' ' && text[0] != '\x7F');
    result += shown ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text.empty() ? result : result + "...";
}

std::string in_quotes(std::string_view text) {
  return "'" + printable(text) + "'";
}

std::string stem(std::string_view source) {
  const std::size_t slash = source.rfind('/');
  if (slash != std::string_view::npos) source.remove_prefix(slash + 1);
  const std::size_t dot = source.rfind('.');
  if (dot != std::string_view::npos && dot > 0) source = source.substr(0, dot);
  return std::string(source);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  ++number_;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

void Lines::fail_at(std::size_t line, std::string_view sentence) const {
  throw InputError(std::string(source_) + ":" + std::to_string(line) + ": " + std::string(sentence));
}

void split(std::string_view line, std::string_view separators, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t end = 0;
  while (true) {
    const std::size_t begin = line.find_first_not_of(separators, end);
    if (begin == std::string_view::npos) return;
    end = std::min(line.find_first_of(separators, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
  }
}

Time parse_duration(std::string_view text, Time unit, const Lines& lines) {
  const Time time = parse_any_time(text, unit, lines);
  if (time < 0) lines.fail("the duration is " + in_quotes(text) + "; expected a number that is not negative");
  return time;
}

Time parse_any_time(std::string_view text, Time unit, const Lines& lines) {
  try {
    const std::optional<Time> time = parse_time(text, unit);
    if (!time) lines.fail("the duration is " + in_quotes(text) + "; expected a number that is not negative");
    return *time;
  } catch (const std::out_of_range& error) {
    lines.fail("the duration is " + in_quotes(text) + ": " + error.what());
  }
}

}  // namespace heddle::io
