#include "heddle/model/time.hpp"

#include <charconv>
#include <stdexcept>

namespace heddle {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A decimal number taken apart: the digits without the point, and the power of ten they are multiplied by.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

/// Reads digits into `number`; the number of characters read.
std::size_t take_digits(std::string_view text, std::string& digits) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  digits.append(text.substr(0, count));
  return count;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal number;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    number.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  text.remove_prefix(take_digits(text, number.digits));
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::size_t fraction = take_digits(text, number.digits);
    number.exponent = -static_cast<std::int64_t>(fraction);
    text.remove_prefix(fraction);
  }
  if (number.digits.empty()) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (text.size() > 1 && text[0] == '+' && is_digit(text[1])) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (end == text.data() || error == std::errc::invalid_argument) return std::nullopt;
    // An exponent beyond int is as good as any other that large: the value is 0 or does not fit.
    if (error == std::errc::result_out_of_range) exponent = text[0] == '-' ? -1'000'000 : 1'000'000;
    number.exponent += exponent;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.empty()) return std::nullopt;
  return number;
}

std::int64_t power_of_ten(Time unit) {
  std::int64_t power = 0;
  for (; unit > 1; unit /= 10) ++power;
  return power;
}

}  // namespace

std::optional<Time> parse_time(std::string_view text, Time unit) {
  std::optional<Decimal> number = parse_decimal(text);
  if (!number) return std::nullopt;
  number->digits.erase(0, number->digits.find_first_not_of('0'));
  if (number->digits.empty()) return 0;
  const std::int64_t exponent = number->exponent + power_of_ten(unit);
  // kept: how many of the digits stand before the decimal point of the value in picoseconds.
  const std::int64_t kept = static_cast<std::int64_t>(number->digits.size()) + exponent;
  if (kept > 19) throw std::out_of_range("the time does not fit in 64 bits of picoseconds (106 days)");
  std::uint64_t value = 0;
  for (std::int64_t i = 0; i < kept; ++i) {
    const auto position = static_cast<std::size_t>(i);
    const char digit = position < number->digits.size() ? number->digits[position] : '0';
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (kept >= 0 && static_cast<std::size_t>(kept) < number->digits.size() &&
      number->digits[static_cast<std::size_t>(kept)] >= '5') {
    ++value;
  }
  // The largest value stands for "cannot run", so it is out of range too.
  if (value >= static_cast<std::uint64_t>(kMaxTime)) {
    throw std::out_of_range("the time does not fit in 64 bits of picoseconds (106 days)");
  }
  const auto magnitude = static_cast<Time>(value);
  return number->negative ? -magnitude : magnitude;
}

std::string format_seconds(TimeSum time) {
  const bool negative = time < 0;
  const TimeSum magnitude = negative ? -time : time;
  std::string fraction = std::to_string(static_cast<std::int64_t>(magnitude % kSecond));
  fraction.insert(0, 12 - fraction.size(), '0');
  const std::size_t last = fraction.find_last_not_of('0');
  fraction.erase(last == std::string::npos ? 1 : last + 1);
  return (negative ? "-" : "") + std::to_string(static_cast<std::int64_t>(magnitude / kSecond)) + "." + fraction;
}

}  // namespace heddle
