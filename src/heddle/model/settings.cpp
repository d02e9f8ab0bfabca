#include <algorithm>
#include <charconv>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"

namespace heddle {
namespace {

constexpr char kQuote = '"';

/// Where the text that begins with a quote ends: behind the quote that is no pair. Nothing when there is none.
std::optional<std::size_t> quoted_end(std::string_view text) {
  for (std::size_t i = text.find(kQuote, 1); i != std::string_view::npos; i = text.find(kQuote, i + 2)) {
    if (i + 1 == text.size() || text[i + 1] != kQuote) return i + 1;
  }
  return std::nullopt;
}

std::string unquoted(std::string_view owner, std::string_view key, std::string_view value) {
  if (!value.starts_with(kQuote)) return std::string(value);
  if (quoted_end(value) != value.size()) {
    throw InputError(std::string(owner) + ": option '" + std::string(key) + "' is " + std::string(value) +
                     "; expected a quote at its end, and \"\" for each quote in it");
  }
  std::string text;
  for (std::size_t i = 1; i + 1 < value.size(); ++i) {
    text += value[i];
    if (value[i] == kQuote) ++i;
  }
  return text;
}

Setting parse_setting(std::string_view owner, std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0) {
    throw InputError(std::string(owner) + ": '" + std::string(text) + "' is not an option; expected key=value");
  }
  const std::string_view key = text.substr(0, sign);
  return {std::string(key), unquoted(owner, key, text.substr(sign + 1))};
}

}  // namespace

std::size_t setting_end(std::string_view text) {
  const std::size_t sign = text.find_first_of("=,");
  const bool has_value = sign != std::string_view::npos && text[sign] == '=';
  std::size_t from = 0;
  if (has_value && text.substr(sign + 1).starts_with(kQuote)) {
    from = sign + 1 + quoted_end(text.substr(sign + 1)).value_or(text.size());
  }
  return std::min(text.find(',', from), text.size());
}

std::vector<Setting> parse_settings(std::string_view owner, std::string_view text) {
  std::vector<Setting> settings;
  while (!text.empty()) {
    const std::size_t end = setting_end(text);
    Setting setting = parse_setting(owner, text.substr(0, end));
    if (std::ranges::find(settings, setting.key, &Setting::key) != settings.end()) {
      throw InputError(std::string(owner) + ": option '" + setting.key + "' is given twice");
    }
    settings.push_back(std::move(setting));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return settings;
}

NamedSettings parse_spec(std::string_view kind, std::string_view text) {
  const std::size_t colon = text.find(':');
  NamedSettings spec{std::string(text.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return spec;
  spec.settings = parse_settings(std::string(kind) + " '" + spec.name + "'", text.substr(colon + 1));
  return spec;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace heddle
