#include "heddle/model/options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle {
namespace {

using Kind = Option::Kind;

/// The shortest text that reads back as the same number.
std::string format_number(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

bool allows(const Option& option, std::string_view text) {
  switch (option.kind) {
    case Kind::integer: {
      const std::optional<std::uint64_t> value = parse_count(text);
      return value && *value >= option.least && *value <= option.most;
    }
    case Kind::number: {
      const std::optional<double> value = parse_number(text);
      return value && *value >= option.low && *value <= option.high;
    }
    case Kind::choice:
      return std::ranges::find(option.choices, text) != option.choices.end();
    case Kind::flag:
      return text == "true" || text == "false";
    case Kind::text:
      return !text.empty();
  }
  return false;
}

/// Those of options that have few; of others none.
std::vector<std::string> possible_values(const Option& option) {
  return option.kind == Kind::flag ? std::vector<std::string>{"true", "false"} : option.choices;
}

std::string describe_expected(const Option& option) {
  const std::string values = describe_values(option);
  if (option.kind == Kind::integer) return "a whole number in " + values;
  return option.kind == Kind::number ? "a number in " + values : values;
}

}  // namespace

Option integer(std::string name, std::string fallback, std::uint64_t least, std::uint64_t most, std::string meaning) {
  return {std::move(name), Kind::integer, std::move(fallback), std::move(meaning), {}, least, most, 0, 0};
}

Option number(std::string name, std::string fallback, double low, double high, std::string meaning) {
  return {std::move(name), Kind::number, std::move(fallback), std::move(meaning), {}, 0, 0, low, high};
}

Option choice(std::string name, std::string fallback, std::vector<std::string> choices, std::string meaning) {
  return {std::move(name), Kind::choice, std::move(fallback), std::move(meaning), std::move(choices)};
}

Option flag(std::string name, bool fallback, std::string meaning) {
  return {std::move(name), Kind::flag, fallback ? "true" : "false", std::move(meaning)};
}

Option text(std::string name, std::string fallback, std::string meaning) {
  return {std::move(name), Kind::text, std::move(fallback), std::move(meaning)};
}

std::string describe_values(const Option& option) {
  switch (option.kind) {
    case Kind::integer:
      return std::to_string(option.least) + ".." + std::to_string(option.most);
    case Kind::number:
      return format_number(option.low) + ".." + format_number(option.high);
    case Kind::flag:
      return "true|false";
    case Kind::text:
      return "text";
    case Kind::choice:
      break;
  }
  std::string all;
  for (const std::string& value : option.choices) all += (all.empty() ? "" : "|") + value;
  return all;
}

Options::Options(std::string owner, const std::vector<Option>& table, std::span<const Setting> settings)
    : owner_(std::move(owner)), table_(&table) {
  for (const Option& option : table) values_.push_back(option.fallback);
  for (const Setting& setting : settings) set(setting);
}

std::size_t Options::position(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(*table_, name, &Option::name) - table_->begin());
}

void Options::set(const Setting& setting) {
  const std::size_t i = position(setting.key);
  if (i == table_->size()) {
    std::vector<std::string> names;
    for (const Option& option : *table_) names.push_back(option.name);
    throw InputError(owner_ + " has no option '" + setting.key + "'" + suggest(setting.key, names));
  }
  const Option& option = (*table_)[i];
  if (!allows(option, setting.value)) {
    throw InputError(owner_ + ": option '" + setting.key + "' is '" + setting.value + "'; expected " +
                     describe_expected(option) + did_you_mean(setting.value, possible_values(option)));
  }
  values_[i] = setting.value;
}

const std::string& Options::text(std::string_view name) const {
  const std::size_t i = position(name);
  if (i == values_.size()) throw InternalError(owner_ + " asks for its option '" + std::string(name) + "' in vain");
  return values_[i];
}

std::uint64_t Options::integer(std::string_view name) const {
  return parse_count(text(name)).value();
}

double Options::number(std::string_view name) const {
  return parse_number(text(name)).value();
}

std::size_t Options::choice(std::string_view name) const {
  const std::vector<std::string>& choices = (*table_)[position(name)].choices;
  return static_cast<std::size_t>(std::ranges::find(choices, text(name)) - choices.begin());
}

}  // namespace heddle
