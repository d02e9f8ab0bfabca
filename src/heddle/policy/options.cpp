#include "heddle/policy/options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::policy {
namespace {

std::optional<double> parse_number(std::string_view value) {
  double result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return result;
}

/// Shortest text that reads back as the same number: "0.5", not "0.500000".
std::string format_number(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

bool allows(const Option& option, std::string_view value) {
  switch (option.kind) {
    case Option::Kind::choice:
      return std::ranges::find(option.choices, value) != option.choices.end();
    case Option::Kind::flag:
      return value == "true" || value == "false";
    case Option::Kind::number: {
      const std::optional<double> parsed = parse_number(value);
      return parsed && *parsed >= option.low && *parsed <= option.high;
    }
    case Option::Kind::text:
      return !value.empty();
  }
  return false;
}

}  // namespace

Option choice(std::string name, std::vector<std::string> choices, std::string meaning) {
  std::string fallback = choices.front();
  return {std::move(name), Option::Kind::choice, std::move(fallback), std::move(meaning), std::move(choices)};
}

Option flag(std::string name, bool fallback, std::string meaning) {
  return {std::move(name), Option::Kind::flag, fallback ? "true" : "false", std::move(meaning), {}};
}

Option number(std::string name, double fallback, double low, double high, std::string meaning) {
  return {std::move(name), Option::Kind::number, format_number(fallback), std::move(meaning), {}, low, high};
}

Option text(std::string name, std::string fallback, std::string meaning) {
  return {std::move(name), Option::Kind::text, std::move(fallback), std::move(meaning), {}};
}

std::string describe_values(const Option& option) {
  switch (option.kind) {
    case Option::Kind::choice: {
      std::string all;
      for (const std::string& value : option.choices) all += (all.empty() ? "" : "|") + value;
      return all;
    }
    case Option::Kind::flag:
      return "true|false";
    case Option::Kind::number:
      return format_number(option.low) + ".." + format_number(option.high);
    case Option::Kind::text:
      return "text";
  }
  return "?";
}

Options::Options(const std::vector<Option>& table) : table_(&table) {
  values_.reserve(table.size());
  for (const Option& option : table) values_.push_back(option.fallback);
}

std::size_t Options::find(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(*table_, name, &Option::name) - table_->begin());
}

void Options::set(std::string_view owner, std::string_view name, std::string_view value) {
  const std::size_t i = find(name);
  if (i == table_->size()) {
    std::vector<std::string> names;
    for (const Option& option : *table_) names.push_back(option.name);
    throw InputError(std::string(owner) + " has no option '" + std::string(name) + "'" + suggest(name, names));
  }
  const Option& option = (*table_)[i];
  if (!allows(option, value)) {
    throw InputError(std::string(owner) + ": option '" + option.name + "' is '" + std::string(value) + "'; expected " +
                     describe_values(option));
  }
  values_[i] = value;
}

std::size_t Options::choice(std::string_view name) const {
  const std::size_t i = find(name);
  const std::vector<std::string>& choices = (*table_)[i].choices;
  return static_cast<std::size_t>(std::ranges::find(choices, values_[i]) - choices.begin());
}

bool Options::flag(std::string_view name) const {
  return text(name) == "true";
}

double Options::number(std::string_view name) const {
  return parse_number(text(name)).value_or(0);
}

const std::string& Options::text(std::string_view name) const {
  return values_[find(name)];
}

}  // namespace heddle::policy
