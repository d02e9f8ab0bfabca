#include "heddle/cli/option_list.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace heddle::cli {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void print_options(const std::vector<Option>& options) {
  for (const Option& option : options) {
    fmt::print("    {}={}", option.name, describe_values(option));
    if (!option.fallback.empty()) fmt::print(" (default {})", option.fallback);
    fmt::print("\n        {}\n", option.meaning);
  }
}

nlohmann::ordered_json options_json(const std::vector<Option>& options) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Option& option : options) {
    list.push_back({{"name", option.name},
                    {"values", describe_values(option)},
                    {"default", option.fallback},
                    {"meaning", option.meaning}});
  }
  return list;
}

}  // namespace heddle::cli
