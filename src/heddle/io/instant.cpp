#include "heddle/io/instant.hpp"

#include <chrono>
#include <cstddef>

namespace heddle::io {
namespace {

/// Takes a text apart from its front.
class Front {
 public:
  explicit Front(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool is_done() const { return rest_.empty(); }
  [[nodiscard]] bool next_is_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  bool take(char letter) {
    if (rest_.empty() || rest_[0] != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// So many digits.
  std::optional<int> number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!next_is_digit()) return std::nullopt;
      value = 10 * value + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

/// Days since 1970.
std::optional<std::int64_t> read_date(Front& text) {
  const auto year = text.number(4);
  if (!year || !text.take('-')) return std::nullopt;
  const auto month = text.number(2);
  if (!month || !text.take('-')) return std::nullopt;
  const auto day = text.number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// Seconds since midnight.
std::optional<std::int64_t> read_clock(Front& text) {
  const auto hour = text.number(2);
  if (!hour || *hour > 23 || !text.take(':')) return std::nullopt;
  const auto minute = text.number(2);
  if (!minute || *minute > 59 || !text.take(':')) return std::nullopt;
  const auto second = text.number(2);
  if (!second || *second > 60) return std::nullopt;  // 60: a leap second
  return *hour * 3600 + *minute * 60 + *second;
}

std::optional<Time> read_fraction(Front& text) {
  if (!text.take('.') && !text.take(',')) return 0;
  if (!text.next_is_digit()) return std::nullopt;
  Time fraction = 0;
  for (Time unit = kSecond / 10; text.next_is_digit(); unit /= 10) fraction += unit * *text.number(1);
  return fraction;
}

/// Seconds east of UTC.
std::optional<std::int64_t> read_zone(Front& text) {
  if (text.is_done() || text.take('Z') || text.take('z')) return 0;
  const bool is_west = text.take('-');
  if (!is_west && !text.take('+')) return std::nullopt;
  const auto hours = text.number(2);
  if (!hours || *hours > 23) return std::nullopt;
  const bool has_colon = text.take(':');
  const auto minutes = has_colon || !text.is_done() ? text.number(2) : 0;
  if (!minutes || *minutes > 59) return std::nullopt;
  return (is_west ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

}  // namespace

std::optional<Time> Instant::since(const Instant& first) const {
  constexpr std::int64_t kMost = 8'640'000;
  if (seconds - first.seconds > kMost || first.seconds - seconds > kMost) return std::nullopt;
  return (seconds - first.seconds) * kSecond + (fraction - first.fraction);
}

std::optional<Instant> parse_instant(std::string_view text) {
  constexpr std::int64_t kDay = 86'400;
  Front rest(text);
  const auto days = read_date(rest);
  if (!days || (!rest.take('T') && !rest.take('t') && !rest.take(' '))) return std::nullopt;
  const auto clock = read_clock(rest);
  if (!clock) return std::nullopt;
  const auto fraction = read_fraction(rest);
  if (!fraction) return std::nullopt;
  const auto zone = read_zone(rest);
  if (!zone || !rest.is_done()) return std::nullopt;
  return Instant{*days * kDay + *clock - *zone, *fraction};
}

}  // namespace heddle::io
