#include "heddle/model/settings.hpp"

#include <algorithm>
#include <charconv>

#include "heddle/model/error.hpp"

namespace heddle {
namespace {

Setting parse_setting(std::string_view owner, std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0) {
    throw InputError(std::string(owner) + ": '" + std::string(text) + "' is not an option; expected key=value");
  }
  return {std::string(text.substr(0, sign)), std::string(text.substr(sign + 1))};
}

}  // namespace

std::vector<Setting> parse_settings(std::string_view owner, std::string_view text) {
  std::vector<Setting> settings;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    Setting setting = parse_setting(owner, text.substr(0, comma));
    if (std::ranges::find(settings, setting.key, &Setting::key) != settings.end()) {
      throw InputError(std::string(owner) + ": option '" + setting.key + "' is given twice");
    }
    settings.push_back(std::move(setting));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
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
