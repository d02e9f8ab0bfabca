#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "heddle/model/options.hpp"

namespace heddle::cli {

/// What the lists of policies and workloads say about options.
void print_options(const std::vector<Option>& options);
[[nodiscard]] nlohmann::ordered_json options_json(const std::vector<Option>& options);

/// "a, b, c"
[[nodiscard]] std::string join(const std::vector<std::string>& words);

}  // namespace heddle::cli
