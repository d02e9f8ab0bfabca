#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heddle/judge/judge.hpp"
#include "heddle/model/time.hpp"
#include "heddle/report/html_page.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// How standard output, or what else the descriptor is, wants its text: its width and colours where it is a terminal
/// (and NO_COLOR is not set), ASCII where the locale writes no UTF-8.
[[nodiscard]] report::TextStyle terminal_style(int descriptor = 1);

/// A file that an option names to be written; an empty path: none.
struct Output {
  const char* option;
  std::string path;
  bool is_stream = true;  ///< it may be standard output: "-", or /dev/stdout
};

/// That all of them can be written, each to a place of its own, and beside `json` nothing to standard output. Throws
/// InputError: what takes long asks before it begins, so that its answer is not lost. When one of them is standard
/// output, it has that to itself, to be read by another program: from now on what is printed for people goes to
/// standard error.
void check_outputs(std::initializer_list<Output> outputs, bool json = false);

/// For what writes a file by itself: standard output as a path, and any other path as it is.
[[nodiscard]] std::string output_path(const std::string& path);

inline constexpr const char* kUnwritable = "standard output cannot be written";

/// Text to standard output, or to a file, which is replaced at once; "-" and /dev/stdout are standard output. Throws
/// InputError when that fails.
void write_output(const std::string& path, const std::string& text);

/// Seconds as the nearest double: the shortest text that names it is the exact decimal for times below 9000 s.
[[nodiscard]] nlohmann::ordered_json json_seconds(TimeSum time);
/// What a record begins with: `{"instance", "platform", "version"}`. `platform`: empty if the input does not name it.
[[nodiscard]] nlohmann::ordered_json json_record(const std::string& instance, const std::string& platform);
/// `{"critical-path": s, ...}`
[[nodiscard]] nlohmann::ordered_json json_bounds(const std::vector<report::BoundLine>& lines);
/// One entry of `schedule --json` and `compare --json`.
[[nodiscard]] nlohmann::ordered_json json_judged(const judge::Judged& judged);
/// The schedule as a file and as a page with a Gantt chart, where a path is given. After the answer is printed: what
/// cannot be written must not cost it.
void write_files(const judge::Judged& judged, const std::string& output, const std::string& gantt,
                 const report::Origin& origin);
/// What a schedule came to, for people.
[[nodiscard]] std::string outcome_text(const judge::Judged& judged, const report::TextStyle& style);
/// The same, and how long it took to find it.
[[nodiscard]] std::string judged_text(const judge::Judged& judged, const report::TextStyle& style);
/// Every way in which a schedule breaks the rules, also where a file states another makespan than its attempts have.
[[nodiscard]] std::vector<std::string> violations_of(const Instance& instance, const Schedule& schedule,
                                                     std::optional<Time> stated_makespan);
/// Whether a schedule is valid, and if not, every violation, for people and for `validate --json`.
[[nodiscard]] std::string validation_text(const Instance& instance, const Schedule& schedule,
                                          const std::vector<std::string>& violations);
[[nodiscard]] nlohmann::ordered_json json_validation(const files::LoadedInstance& loaded, const Schedule& schedule,
                                                     const std::vector<std::string>& violations);
/// Text for people as it is.
void print_text(const std::string& text);
/// The document, indented, and a line end.
void print_json(const nlohmann::ordered_json& document);

/// "20 cpu + 4 gpu"; classes without workers are not named.
[[nodiscard]] std::string describe_workers(const Platform& platform);
/// "pair on pair.json (20 cpu + 4 gpu)", for the head of an answer.
[[nodiscard]] std::string describe_instance(const Instance& instance, const std::string& platform);

}  // namespace heddle::cli
