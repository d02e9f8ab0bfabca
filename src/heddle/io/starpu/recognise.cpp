#include "heddle/io/starpu/recognise.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "heddle/io/starpu/values.hpp"
#include "heddle/io/text.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// The complete lines at the beginning of a text.
std::vector<std::string_view> complete_lines(std::string_view text) {
  constexpr std::size_t kLooked = 4000;
  const bool cut = text.size() > kLooked;
  text = text.substr(0, kLooked);
  if (cut && text.find('\n') != std::string_view::npos) text = text.substr(0, text.rfind('\n'));
  std::vector<std::string_view> found;
  Lines lines(text, "");
  while (const std::optional<std::string_view> line = lines.next()) found.push_back(*line);
  return found;
}

bool is_record_line(std::string_view line) {
  if (line.empty() || line.starts_with('#') || line.starts_with('+')) return true;
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && colon > 0 && line.find_first_of(" \t") > colon;
}

/// Whether all lines are those of records, and some record has the field `wanted`.
bool looks_like_records(std::string_view text, std::string_view wanted) {
  const std::vector<std::string_view> lines = complete_lines(text);
  const auto has_field = [&](std::string_view line) { return line.starts_with(wanted); };
  return std::ranges::all_of(lines, is_record_line) && std::ranges::any_of(lines, has_field);
}

/// The values that come before the first history entry: all of a small fixed form.
bool begins_like_a_model(Values& values) {
  constexpr std::int64_t kSome = 1'000'000;
  values.expect_integer("version", 45, 45);
  if (values.expect_integer("combinations", 0, kSome) == 0) return values.at_end();
  values.expect_integer("devices", 1, 64);
  values.expect_integer("type", 0, 16);
  values.expect_integer("device", 0, kSome);
  values.expect_integer("cores", 1, kSome);
  values.expect_integer("implementations", 0, 64);
  return true;
}

}  // namespace

bool looks_like_tasks_rec(std::string_view text) {
  return looks_like_records(text, "JobId:");
}

bool looks_like_data_rec(std::string_view text) {
  return looks_like_records(text, "Handle:");
}

bool looks_like_perfmodel(std::string_view text) {
  Values values(text.substr(0, 4000), "");
  try {
    return begins_like_a_model(values);
  } catch (const InputError&) {
    return false;
  }
}

bool looks_like_bus_config(std::string_view text) {
  const std::vector<std::string_view> lines = complete_lines(text);
  const auto counts_cpus = [](std::string_view line) { return line.ends_with("# Number of CPUs"); };
  return std::ranges::any_of(lines, counts_cpus);
}

bool looks_like_bus_matrix(std::string_view text) {
  return text.starts_with("# to 0") && (text.size() == 6 || text[6] == '\t' || text[6] == ' ' || text[6] == '\n');
}

}  // namespace heddle::io
