#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::report {

/// Writes JSON that may stand inside a <script> element of an HTML page: no string can end the element, start a comment
/// or be a line end to JavaScript, since <, >, &, U+2028 and U+2029 are escaped. Bytes that are no UTF-8 become U+FFFD.
/// Commas come by themselves; the caller opens and closes in pairs and gives a key before each value of an object.
class ScriptJson {
 public:
  void open_object() { open('{'); }
  void close_object() { text_ += '}'; }
  void open_array() { open('['); }
  void close_array() { text_ += ']'; }

  void key(std::string_view name);
  void string(std::string_view value);
  void integer(std::int64_t value);
  /// The shortest text that reads back as the same number; null when it is not finite.
  void number(double value);
  void boolean(bool value);
  void null();
  /// A number, or null where there is none.
  void optional(const std::optional<double>& value);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void open(char bracket);
  void comma();
  void quote(std::string_view value);

  std::string text_;
};

/// Members of an object: a key and its value.
void write(ScriptJson& json, std::string_view key, std::string_view value);
void write_optional(ScriptJson& json, std::string_view key, const std::optional<double>& value);
/// An array; `write_item(item)` writes each.
template <class Items, class Write>
void write_list(ScriptJson& json, std::string_view key, const Items& items, Write write_item) {
  json.key(key);
  json.open_array();
  for (const auto& item : items) write_item(item);
  json.close_array();
}

}  // namespace heddle::report
