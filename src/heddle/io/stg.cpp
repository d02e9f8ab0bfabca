#include "heddle/io/text.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/io/timed_graph_builder.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

std::int64_t read_count(std::string_view text, std::string_view what, const Lines& lines) {
  const auto count = parse_integer(text);
  if (!count || *count < 0) lines.fail("found " + in_quotes(text) + " where " + std::string(what) + " was expected");
  return *count;
}

/// `id time count predecessor...`
void read_task(const std::vector<std::string_view>& fields, Time unit, const Lines& lines, TimedGraphBuilder& builder) {
  if (fields.size() < 3) {
    lines.fail("the line has " + std::to_string(fields.size()) +
               " fields; expected id, time, number of predecessors, and the predecessors");
  }
  const Time duration = parse_duration(fields[1], unit, lines);
  builder.add_task(read_count(fields[0], "the number of a task", lines), {&duration, 1});
  const auto announced = static_cast<std::size_t>(read_count(fields[2], "the number of predecessors", lines));
  if (announced != fields.size() - 3) {
    lines.fail("the line announces " + std::to_string(announced) + " predecessors and has " +
               std::to_string(fields.size() - 3));
  }
  for (std::size_t i = 3; i < fields.size(); ++i)
    builder.add_predecessor(read_count(fields[i], "a predecessor", lines));
}

/// The number on the first line counts the dummy entry and exit in some files and leaves them out in others.
void check_count(std::size_t announced, std::size_t found, std::string_view source) {
  if (found == announced || found == announced + 2) return;
  throw InputError(std::string(source) + ": the first line announces " + std::to_string(announced) +
                   " tasks, but there are lines for " + std::to_string(found) + "; expected as many, or two more");
}

}  // namespace

TimedGraph read_stg(std::string_view text, std::string_view source, Time unit) {
  Lines lines(text, source);
  TimedGraphBuilder builder(lines, 1);
  std::vector<std::string_view> fields;
  std::optional<std::size_t> announced;
  std::size_t found = 0;
  while (const auto line = lines.next()) {
    split(*line, kBlanks, fields);
    if (fields.empty()) continue;
    if (fields[0].front() == '#') break;
    if (announced) {
      read_task(fields, unit, lines, builder);
      ++found;
    } else {
      if (fields.size() > 1) lines.fail("the first line has more than one field; expected the number of tasks alone");
      announced = static_cast<std::size_t>(read_count(fields[0], "the number of tasks", lines));
    }
  }
  check_count(announced.value_or(0), found, source);
  return builder.build(source);
}

}  // namespace heddle::io
