#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/cli/output.hpp"
#include "heddle/model/options.hpp"

namespace heddle::cli {

/// What the lists of policies and workloads say about options.
void print_options(const std::vector<Option>& options);
[[nodiscard]] nlohmann::ordered_json options_json(const std::vector<Option>& options);

/// Entries that have a name, a summary and options.
template <class Entries>
void print_entries(const Entries& entries, bool json) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& entry : entries) {
    list.push_back({{"name", entry.name}, {"summary", entry.summary}, {"options", options_json(entry.options)}});
    if (json) continue;
    fmt::print("{}\n    {}\n", entry.name, entry.summary);
    print_options(entry.options);
    fmt::print("\n");
  }
  if (json) print_json(list);
}

/// "a, b, c"
[[nodiscard]] std::string join(const std::vector<std::string>& words);

}  // namespace heddle::cli
