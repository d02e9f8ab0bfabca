#include "heddle/report/script_json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "heddle/report/utf8.hpp"

namespace heddle::report {
namespace {

bool must_escape(char32_t value) {
  return value < 0x20 || value == '"' || value == '\\' || value == '<' || value == '>' || value == '&' ||
         value == 0x7F || value == 0x2028 || value == 0x2029;
}

}  // namespace

void ScriptJson::comma() {
  // Inside a string there may be any letter, but its last one is the quote.
  if (!text_.empty() && text_.back() != '{' && text_.back() != '[' && text_.back() != ':') text_ += ',';
}

void ScriptJson::open(char bracket) {
  comma();
  text_ += bracket;
}

void ScriptJson::key(std::string_view name) {
  comma();
  quote(name);
  text_ += ':';
}

void ScriptJson::string(std::string_view value) {
  comma();
  quote(value);
}

void ScriptJson::integer(std::int64_t value) {
  comma();
  text_ += std::to_string(value);
}

void ScriptJson::number(double value) {
  if (!std::isfinite(value)) return null();
  comma();
  text_ += fmt::format("{}", value);
}

void ScriptJson::boolean(bool value) {
  comma();
  text_ += value ? "true" : "false";
}

void ScriptJson::null() {
  comma();
  text_ += "null";
}

void ScriptJson::quote(std::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    const CodePoint point = first_code_point(value);
    if (!point.valid || must_escape(point.value)) {
      text_ += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point.value));
    } else {
      text_ += value.substr(0, point.bytes);
    }
    value.remove_prefix(point.bytes);
  }
  text_ += '"';
}

void ScriptJson::optional(const std::optional<double>& value) {
  if (value) {
    number(*value);
  } else {
    null();
  }
}

void write(ScriptJson& json, std::string_view key, std::string_view value) {
  json.key(key);
  json.string(value);
}

void write_optional(ScriptJson& json, std::string_view key, const std::optional<double>& value) {
  json.key(key);
  json.optional(value);
}

}  // namespace heddle::report
