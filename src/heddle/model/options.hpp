#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// One option of a policy or a workload: the command's lists, help and errors all read this.
struct Option {
  enum class Kind : std::uint8_t { integer, number, choice, flag, text };

  std::string name;
  Kind kind = Kind::choice;
  /// The default as the user would write it; empty when `meaning` tells what happens without the option.
  std::string fallback;
  std::string meaning;                 ///< one sentence
  std::vector<std::string> choices{};  ///< for Kind::choice
  std::uint64_t least = 0;             ///< for Kind::integer: the range, both ends included
  std::uint64_t most = 0;
  double low = 0;  ///< for Kind::number: the range, both ends included
  double high = 0;
};

[[nodiscard]] Option integer(std::string name, std::string fallback, std::uint64_t least, std::uint64_t most,
                             std::string meaning);
[[nodiscard]] Option number(std::string name, std::string fallback, double low, double high, std::string meaning);
[[nodiscard]] Option choice(std::string name, std::string fallback, std::vector<std::string> choices,
                            std::string meaning);
[[nodiscard]] Option flag(std::string name, bool fallback, std::string meaning);
[[nodiscard]] Option text(std::string name, std::string fallback, std::string meaning);

/// What may stand on the right of "name=", for people: "1..65535", "single|double", "text".
[[nodiscard]] std::string describe_values(const Option& option);

/// A checked value for each option of a table.
class Options {
 public:
  /// Throws InputError that starts with `owner` ("workload 'lu'") for an unknown name or a value out of range; says
  /// what is possible. `table` must outlive this.
  Options(std::string owner, const std::vector<Option>& table, std::span<const Setting> settings = {});

  /// Whether there is a value: given by the user, or a default.
  [[nodiscard]] bool has(std::string_view name) const { return !text(name).empty(); }
  /// Values; the option must have one and be of this kind.
  [[nodiscard]] std::uint64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const { return text(name) == "true"; }
  /// The place of the chosen value in Option::choices.
  [[nodiscard]] std::size_t choice(std::string_view name) const;
  /// The value of any option, as the user would write it.
  [[nodiscard]] const std::string& text(std::string_view name) const;

  /// Starts the sentence of an error: "workload 'lu'".
  [[nodiscard]] const std::string& owner() const { return owner_; }

 private:
  [[nodiscard]] std::size_t position(std::string_view name) const;
  void set(const Setting& setting);

  std::string owner_;
  const std::vector<Option>* table_;
  std::vector<std::string> values_;
};

}  // namespace heddle
