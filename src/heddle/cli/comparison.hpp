#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "heddle/judge/judge.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// For people: a table per instance, the shortest makespan first, and which policy is best. Of many instances it is a
/// summary only (shows_instances), of several both.
[[nodiscard]] std::string comparison_text(const judge::Comparison& found, const report::TextStyle& style);
[[nodiscard]] bool shows_instances(const judge::Comparison& found);

/// The answer of `compare --json`: runs in the order asked for, then what was skipped.
[[nodiscard]] nlohmann::ordered_json json_comparison(const judge::Comparison& found);
/// A line per run: what `--json` says of it, but for the classes.
[[nodiscard]] std::string csv_comparison(const judge::Comparison& found);

/// One line on standard error that counts what was skipped.
void report_skipped(const judge::Comparison& found);

}  // namespace heddle::cli
