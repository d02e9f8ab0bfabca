#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "heddle/cli/judge.hpp"
#include "heddle/model/time.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// How standard output wants its text: its width and colours where it is a terminal (and NO_COLOR is not set).
[[nodiscard]] report::TextStyle terminal_style();

/// Text to standard output, or to a file, which is replaced at once; "-" is standard output.
void write_output(const std::string& path, const std::string& text);

/// Seconds as the nearest double: the shortest text that names it is the exact decimal for times below 9000 s.
[[nodiscard]] nlohmann::ordered_json json_seconds(Time time);
/// `{"critical-path": s, ...}`
[[nodiscard]] nlohmann::ordered_json json_bounds(const std::vector<report::BoundLine>& lines);
/// One entry of `schedule --json` and `compare --json`.
[[nodiscard]] nlohmann::ordered_json json_judged(const Judged& judged);
/// The schedule as a file and as a page with a Gantt chart, where a path is given.
void write_files(const Judged& judged, const std::string& output, const std::string& gantt);
/// What a schedule came to, for people.
void print_outcome(const Judged& judged);
/// The same, and how long it took to find it.
void print_judged(const Judged& judged);
/// The document, indented, and a line end.
void print_json(const nlohmann::ordered_json& document);

/// "20 cpu + 4 gpu"; classes without workers are not named.
[[nodiscard]] std::string describe_workers(const Platform& platform);

}  // namespace heddle::cli
