#include "heddle/io/json_read.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "heddle/io/text.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::io {
namespace {

/// A number of seconds of any size.
Time read_time(Json value, std::string_view what) {
  if (value.kind() != JsonKind::number) value.fail_expected(what);
  try {
    return *parse_time(value.text());
  } catch (const std::out_of_range& error) {
    value.fail("is " + value.describe() + ": " + error.what());
  }
}

}  // namespace

void expect_map(Json value, std::string_view what) {
  if (value.kind() != JsonKind::object) value.fail_expected(what);
}

void expect_array(Json value, std::string_view what) {
  if (value.kind() != JsonKind::array) value.fail_expected(what);
}

void expect_object(Json value, std::string_view what, std::span<const std::string_view> known) {
  expect_map(value, what);
  std::uint32_t seen = 0;
  for (const Json member : value) {
    const std::string_view key = member.key();
    const auto position = std::ranges::find(known, key) - known.begin();
    const bool is_known = position < std::ssize(known);
    if (!is_known && key != "meta") {
      const std::vector<std::string> possible(known.begin(), known.end());
      value.fail("has the unknown key " + in_quotes(key) + suggest(key, possible));
    }
    // "meta" has the bit behind those of the known keys.
    const std::uint32_t bit = std::uint32_t{1} << position;
    if ((seen & bit) != 0) value.fail("has the key " + in_quotes(key) + " twice");
    seen |= bit;
  }
}

void expect_document(Json root, std::string_view format, std::initializer_list<std::string_view> known) {
  const std::string what = "an object of format '" + std::string(format) + "'";
  expect_map(root, what);
  // A document of another format first hears that, and not that its keys are unknown.
  const auto found = find(root, "format");
  if (found && found->text() != format) found->fail_expected("'" + std::string(format) + "'");
  std::vector<std::string_view> keys = {"format", "version"};
  keys.insert(keys.end(), known.begin(), known.end());
  expect_object(root, what, keys);
  static_cast<void>(require(root, "format", "'" + std::string(format) + "'"));
  const Json version = require(root, "version", "1");
  if (version.kind() != JsonKind::number || version.text() != "1") {
    version.fail_expected("1, the only version there is");
  }
}

std::optional<Json> find(Json object, std::string_view key) {
  for (const Json member : object) {
    if (member.key() == key) return member;
  }
  return std::nullopt;
}

Json require(Json object, std::string_view key, std::string_view what) {
  const std::optional<Json> member = find(object, key);
  if (!member) object.fail("has no '" + std::string(key) + "'; expected " + std::string(what));
  return *member;
}

std::string_view read_string(Json value, std::string_view what) {
  if (value.kind() != JsonKind::string) value.fail_expected(what);
  return value.text();
}

std::string_view read_name(Json value, std::string_view what) {
  const std::string_view name = read_string(value, what);
  if (name.empty()) value.fail("is an empty string; expected " + std::string(what));
  return name;
}

bool read_boolean(Json value) {
  if (value.kind() != JsonKind::boolean) value.fail_expected("true or false");
  return value.text() == "true";
}

std::int64_t read_integer(Json value, std::string_view what, std::int64_t least, std::int64_t most) {
  const bool is_number = value.kind() == JsonKind::number;
  const std::optional<std::int64_t> number = is_number ? parse_integer(value.text()) : std::nullopt;
  if (!number || *number < least || *number > most) value.fail_expected(what);
  return *number;
}

std::size_t read_index(Json value, std::size_t count, std::string_view noun) {
  const bool is_number = value.kind() == JsonKind::number;
  const std::optional<std::int64_t> number = is_number ? parse_integer(value.text()) : std::nullopt;
  if (!number || *number < 0 || std::cmp_greater_equal(*number, count)) {
    value.fail_expected("the number of a " + std::string(noun) + ", of which there are " + std::to_string(count));
  }
  return static_cast<std::size_t>(*number);
}

std::uint64_t read_unsigned(Json value, std::string_view what) {
  std::uint64_t number = 0;
  const std::string_view text = value.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value.kind() != JsonKind::number || error != std::errc() || end != text.data() + text.size()) {
    value.fail_expected(what);
  }
  return number;
}

Time read_duration(Json value) {
  const Time time = read_time(value, "seconds");
  if (time < 0) value.fail_expected("seconds, which are not negative");
  return time;
}

Time read_instant(Json value) {
  constexpr Time kLimit = kMaxTime / 2;
  const Time time = read_time(value, "seconds");
  if (time > kLimit || time < -kLimit) value.fail_expected("an instant within 53 days of the start");
  return time;
}

double read_bandwidth(Json value) {
  double bandwidth = 0;
  const std::string_view text = value.text();
  if (value.kind() == JsonKind::number) std::from_chars(text.data(), text.data() + text.size(), bandwidth);
  // What is no number, or overflows, leaves 0.
  if (!(bandwidth > 0) || !std::isfinite(bandwidth)) value.fail_expected("bytes per second, above 0");
  return bandwidth;
}

double read_watts(Json value) {
  double watts = -1;
  const std::string_view text = value.text();
  if (value.kind() == JsonKind::number) std::from_chars(text.data(), text.data() + text.size(), watts);
  if (!(watts >= 0) || !std::isfinite(watts)) value.fail_expected("watts, 0 or more");
  return watts;
}

void fail_repeated(Json value, std::string_view noun) {
  value.fail("is " + in_quotes(value.text()) + " again; expected a different name for each " + std::string(noun));
}

void fail_unknown(Json value, std::string_view noun, const std::vector<std::string>& known) {
  value.fail("is " + in_quotes(value.text()) + ", but no " + std::string(noun) + " is called so" +
             suggest(value.text(), known));
}

void fail_unknown_key(Json member, std::string_view noun, const std::vector<std::string>& known) {
  member.fail("names no " + std::string(noun) + suggest(member.key(), known));
}

}  // namespace heddle::io
