#include "heddle/report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// A number of at least 0, its whole digits in groups.
std::string with_decimals(double value, int decimals) {
  const std::string digits = fmt::format("{:.{}f}", value, decimals);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return grouped(digits.substr(0, point)) + digits.substr(point);
}

/// The decimals that leave a positive number four significant digits, or more when it has more before the point.
int four_digits(double value) {
  return std::max(3 - rounded_exponent(value), 0);
}

/// The absolute value, the most negative number's too.
std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
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
  return fmt::format("{} {}", with_decimals(value, four_digits(value)), kUnits[unit]);
}

}  // namespace

TimeFormat::TimeFormat(TimeSum reference) {
  constexpr std::array<const char*, 4> kSmaller = {"ps", "ns", "us", "ms"};
  if (reference == 0) return;
  auto value = std::abs(static_cast<double>(reference));
  std::size_t unit = 0;
  picoseconds_ = 1;
  for (; unit < kSmaller.size() && rounded_exponent(value) >= 3; ++unit) {
    value /= 1'000;
    picoseconds_ *= 1'000;
  }
  if (unit < kSmaller.size()) unit_ = kSmaller[unit];
  if (unit > 0) decimals_ = four_digits(value);
}

std::string TimeFormat::operator()(TimeSum time) const {
  if (time == 0) return fmt::format("0 {}", unit_);
  const double value = std::abs(static_cast<double>(time)) / picoseconds_;
  return fmt::format("{}{} {}", time < 0 ? "-" : "", with_decimals(value, decimals_), unit_);
}

std::string format_time(TimeSum time) {
  return TimeFormat(time)(time);
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

std::string format_rate(double per_second) {
  if (per_second >= 1) return fmt::format("{}/s", with_decimals(per_second, 0));
  if (per_second * 60 >= 1) return fmt::format("{:.1f}/min", per_second * 60);
  return fmt::format("{:.1f}/h", per_second * 3600);
}

std::string format_wait(double seconds) {
  constexpr double kLongest = 1e9;  // longer than users wait
  const auto whole = std::int64_t{std::lround(std::clamp(seconds, 0.0, kLongest))};
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3'600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86'400) return fmt::format("{} h {} min", whole / 3'600, whole % 3'600 / 60);
  return fmt::format("{} d {} h", grouped(fmt::format("{}", whole / 86'400)), whole % 86'400 / 3'600);
}

std::string format_percent(double share) {
  if (!std::isfinite(share)) return "-";
  const std::string text = fmt::format("{:.1f} %", share * 100);
  return text == "-0.0 %" ? "0.0 %" : text;
}

std::string format_joules(double joules) {
  constexpr std::array<std::pair<double, const char*>, 5> kUnits = {
      {{1e9, "GJ"}, {1e6, "MJ"}, {1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}}};
  constexpr double kRoundsUp = 0.99995;  // to four digits
  if (!std::isfinite(joules)) return "-";
  if (joules == 0) return "0 J";
  const auto unit = std::ranges::find_if(kUnits, [&](const auto& one) { return joules >= one.first * kRoundsUp; });
  const auto& [size, name] = unit == kUnits.end() ? kUnits.back() : *unit;
  return fmt::format("{:#.4g} {}", joules / size, name);
}

std::string format_bytes(std::int64_t bytes) {
  return (bytes < 0 ? "-" : "") + positive_bytes(magnitude(bytes));
}

}  // namespace heddle::report
