#pragma once

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

/// Takes "name:key=value,..." apart; the part from ':' on may be missing. `kind` says in errors what is named
/// ("workload", "platform"). Throws InputError when a setting has no '=', no key or a key that was given before.
[[nodiscard]] NamedSettings parse_spec(std::string_view kind, std::string_view text);

/// The part after the colon alone; `owner` starts the sentence of an error ("workload 'lu'").
[[nodiscard]] std::vector<Setting> parse_settings(std::string_view owner, std::string_view text);

/// A whole number written with digits only; nothing when the text is none or the number passes 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);
/// A decimal number, which may be infinite or none; nothing when the text is anything else or more.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

}  // namespace heddle
