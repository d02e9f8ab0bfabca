#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle::report {

/// One line of a CSV file, ended by "\n": cells are quoted where RFC 4180 asks for it (a comma, a quote, a line end in
/// them), and quotes inside are doubled.
[[nodiscard]] std::string csv_row(std::span<const std::string> cells);

}  // namespace heddle::report
