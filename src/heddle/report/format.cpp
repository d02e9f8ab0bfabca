#include "heddle/report/format.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace heddle::report {
namespace {

/// Whole digits in groups of three.
std::string grouped(std::string digits) {
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

/// The decimal exponent of a positive number once it is rounded to four significant digits: 3 for 999.96.
int rounded_exponent(double value) {
  const std::string text = fmt::format("{:.3e}", value);
  const std::size_t begin = text.find('e') + (text[text.find('e') + 1] == '+' ? 2 : 1);
  int exponent = 0;
  std::from_chars(text.data() + begin, text.data() + text.size(), exponent);
  return exponent;
}

/// A positive number with four significant digits, or more when it has more before the point.
std::string four_digits(double value) {
  const int decimals = 3 - rounded_exponent(value);
  if (decimals > 0) return fmt::format("{:.{}f}", value, decimals);
  return grouped(fmt::format("{:.0f}", value));
}

/// The absolute value, the most negative number's too.
std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

std::string positive_time(TimeSum time) {
  constexpr std::array<const char*, 4> kUnits = {"ps", "ns", "us", "ms"};
  auto value = static_cast<double>(time);
  if (time < 1'000) return fmt::format("{} ps", static_cast<int>(time));
  std::size_t unit = 0;
  while (unit < kUnits.size() && rounded_exponent(value) >= 3) {
    value /= 1'000;
    ++unit;
  }
  return fmt::format("{} {}", four_digits(value), unit < kUnits.size() ? kUnits[unit] : "s");
}

std::string positive_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1'024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1'024;
  std::size_t unit = 0;
  // 1023.9 KiB would print as 1024: it is a MiB already.
  while (unit + 1 < kUnits.size() && value >= 1023.5) {
    value /= 1'024;
    ++unit;
  }
  return fmt::format("{} {}", four_digits(value), kUnits[unit]);
}

}  // namespace

std::string format_time(TimeSum time) {
  if (time == 0) return "0 s";
  return time < 0 ? "-" + positive_time(-time) : positive_time(time);
}

std::string format_ratio(double ratio) {
  if (std::isnan(ratio)) return "-";
  if (std::isinf(ratio)) return ratio > 0 ? "inf" : "-inf";
  return fmt::format("{:.3f}", ratio);
}

std::string format_count(std::int64_t count) {
  const std::string text = fmt::format("{}", count);
  return text[0] == '-' ? "-" + grouped(text.substr(1)) : grouped(text);
}

std::string format_count(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(static_cast<std::int64_t>(count)), noun, count == 1 ? "" : "s");
}

std::string format_percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", share * 100) : "-";
}

std::string format_bytes(std::int64_t bytes) {
  return (bytes < 0 ? "-" : "") + positive_bytes(magnitude(bytes));
}

}  // namespace heddle::report
