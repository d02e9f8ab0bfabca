#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::policy {

/// One option of a policy: the command, its errors and `heddle policies` all read this.
struct Option {
  enum class Kind : std::uint8_t { choice, flag, number, text };

  std::string name;
  Kind kind = Kind::choice;
  std::string fallback;              ///< the default, as the user would write it
  std::string meaning;               ///< one sentence
  std::vector<std::string> choices;  ///< for Kind::choice: what may be given
  double low = 0;                    ///< for Kind::number: the range, both ends included
  double high = 0;
};

[[nodiscard]] Option choice(std::string name, std::vector<std::string> choices, std::string meaning);
[[nodiscard]] Option flag(std::string name, bool fallback, std::string meaning);
[[nodiscard]] Option number(std::string name, double fallback, double low, double high, std::string meaning);
[[nodiscard]] Option text(std::string name, std::string fallback, std::string meaning);

/// What may stand on the right of "name=", for people: "latest|priority", "true|false", "0..1".
[[nodiscard]] std::string describe_values(const Option& option);

/// A value for every option of a policy, checked.
class Options {
 public:
  /// Every option has its default.
  explicit Options(const std::vector<Option>& table);

  /// Sets one option from text; throws InputError that starts with `owner`, names the option and what may be given.
  void set(std::string_view owner, std::string_view name, std::string_view value);

  /// Number of the chosen one in Option::choices.
  [[nodiscard]] std::size_t choice(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

 private:
  [[nodiscard]] std::size_t find(std::string_view name) const;

  const std::vector<Option>* table_;
  std::vector<std::string> values_;
};

}  // namespace heddle::policy
