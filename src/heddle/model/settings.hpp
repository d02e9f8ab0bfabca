#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// One "key=value".
struct Setting {
  std::string key;
  std::string value;
};

/// What a user writes to name a thing and configure it: "name:key=value,key=value".
struct NamedSettings {
  std::string name;
  std::vector<Setting> settings;
};

/// Takes "name:key=value,..." apart; the part from ':' on may be missing. A value with a comma is written in double
/// quotes, with "" for a quote: file="a,b.json". `kind` says in errors what is named ("workload", "platform"). Throws
/// InputError when a setting has no '=', no key, a key that was given before or a quote without its end.
[[nodiscard]] NamedSettings parse_spec(std::string_view kind, std::string_view text);

/// The part after the colon alone; `owner` starts the sentence of an error ("workload 'lu'").
[[nodiscard]] std::vector<Setting> parse_settings(std::string_view owner, std::string_view text);

/// Where the first of several settings ends: at its comma, or at the end of `text`. A comma in quotes ends none.
[[nodiscard]] std::size_t setting_end(std::string_view text);

/// A whole number written with digits only; nothing when the text is none or the number passes 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);
/// A decimal number, which may be infinite or none; nothing when the text is anything else or more.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

}  // namespace heddle
