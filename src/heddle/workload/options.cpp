#include "heddle/workload/options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::workload {
namespace {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The shortest text that reads back as the same number.
std::string format_number(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

bool allows(const Option& option, std::string_view text) {
  switch (option.kind) {
    case Option::Kind::integer: {
      const std::optional<std::uint64_t> value = parse_count(text);
      return value && *value >= option.least && *value <= option.most;
    }
    case Option::Kind::number: {
      const std::optional<double> value = parse_number(text);
      return value && *value >= option.low && *value <= option.high;
    }
    case Option::Kind::choice:
      return std::ranges::find(option.choices, text) != option.choices.end();
  }
  return false;
}

std::size_t position(const std::vector<Option>& table, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(table, name, &Option::name) - table.begin());
}

std::string unknown_option(const std::vector<Option>& table, const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : table) names.push_back(option.name);
  return " has no option '" + name + "'" + suggest(name, names);
}

}  // namespace

Option integer(std::string name, std::string fallback, std::uint64_t least, std::uint64_t most, std::string meaning) {
  return {std::move(name), Option::Kind::integer, std::move(fallback), std::move(meaning), {}, least, most, 0, 0};
}

Option number(std::string name, std::string fallback, double low, double high, std::string meaning) {
  return {std::move(name), Option::Kind::number, std::move(fallback), std::move(meaning), {}, 0, 0, low, high};
}

Option choice(std::string name, std::string fallback, std::vector<std::string> choices, std::string meaning) {
  return {std::move(name), Option::Kind::choice, std::move(fallback), std::move(meaning), std::move(choices)};
}

Option seed_option() {
  return integer("seed", "1", 0, std::numeric_limits<std::uint64_t>::max(), "Number that all random draws depend on.");
}

std::string describe_values(const Option& option) {
  switch (option.kind) {
    case Option::Kind::integer:
      return std::to_string(option.least) + ".." + std::to_string(option.most);
    case Option::Kind::number:
      return format_number(option.low) + ".." + format_number(option.high);
    case Option::Kind::choice:
      break;
  }
  std::string all;
  for (const std::string& value : option.choices) all += (all.empty() ? "" : "|") + value;
  return all;
}

Options::Options(std::string owner, const std::vector<Option>& table, std::span<const Setting> settings)
    : owner_(std::move(owner)), table_(&table) {
  for (const Option& option : table) values_.push_back(option.fallback);
  for (const Setting& setting : settings) {
    const std::size_t i = position(table, setting.key);
    if (i == table.size()) throw InputError(owner_ + unknown_option(table, setting.key));
    if (!allows(table[i], setting.value)) {
      const std::string kind = table[i].kind == Option::Kind::integer  ? "a whole number in "
                               : table[i].kind == Option::Kind::number ? "a number in "
                                                                       : "";
      throw InputError(owner_ + ": option '" + setting.key + "' is '" + setting.value + "'; expected " + kind +
                       describe_values(table[i]));
    }
    values_[i] = setting.value;
  }
}

const std::string& Options::text(std::string_view name) const {
  const std::size_t i = position(*table_, name);
  if (i == values_.size()) throw InternalError(owner_ + " asks for its option '" + std::string(name) + "' in vain");
  return values_[i];
}

std::uint64_t Options::integer(std::string_view name) const {
  return parse_count(text(name)).value();
}

double Options::number(std::string_view name) const {
  return parse_number(text(name)).value();
}

}  // namespace heddle::workload
