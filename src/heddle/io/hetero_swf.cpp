#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heddle/io/text.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/io/timed_graph_builder.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// How many duration columns a file has, and the line that says so.
struct Columns {
  std::size_t count = 0;
  std::size_t line = 0;
};

/// Every graph has a task without predecessors, and its line is the shortest: the id and the durations.
Columns deduce_columns(std::string_view text, std::string_view source) {
  Lines lines(text, source);
  std::vector<std::string_view> fields;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  std::size_t line_number = 0;
  while (const auto line = lines.next()) {
    split(*line, kBlanks, fields);
    if (fields.empty() || fields.size() >= shortest) continue;
    shortest = fields.size();
    line_number = lines.number();
  }
  if (line_number == 0) throw InputError(std::string(source) + ": there is no task in the file");
  if (shortest != 3 && shortest != 4) {
    lines.fail_at(line_number, "the line has " + std::to_string(shortest) + (shortest == 1 ? " field" : " fields") +
                                   " and is the shortest; expected one task without predecessors: an id and 2 or 3 "
                                   "durations");
  }
  return {shortest - 1, line_number};
}

/// -1 means "cannot run" in every unit.
Time read_duration(std::string_view text, Time unit, const Lines& lines) {
  const bool cannot_run = text.starts_with('-') && parse_any_time(text, kSecond, lines) == -kSecond;
  return cannot_run ? kCannotRun : parse_duration(text, unit, lines);
}

std::int64_t read_id(std::string_view text, const Lines& lines) {
  const auto id = parse_integer(text);
  if (!id) lines.fail("found " + in_quotes(text) + " where the number of a task was expected");
  return *id;
}

}  // namespace

TimedGraph read_hetero_swf(std::string_view text, std::string_view source, Time unit) {
  const Columns columns = deduce_columns(text, source);
  Lines lines(text, source);
  TimedGraphBuilder builder(lines, columns.count);
  std::vector<std::string_view> fields;
  std::vector<std::string_view> predecessors;
  std::vector<Time> row(columns.count);
  while (const auto line = lines.next()) {
    split(*line, kBlanks, fields);
    if (fields.empty()) continue;
    for (std::size_t c = 0; c < columns.count; ++c) row[c] = read_duration(fields[c + 1], unit, lines);
    builder.add_task(read_id(fields[0], lines), row);
    for (std::size_t i = columns.count + 1; i < fields.size(); ++i) {
      split(fields[i], ",", predecessors);
      for (const std::string_view id : predecessors) builder.add_predecessor(read_id(id, lines));
    }
  }
  return builder.build(source, "; the file has " + std::to_string(columns.count) +
                                   " columns of durations, since line " + std::to_string(columns.line) +
                                   " has no more");
}

std::string write_hetero_swf(const Instance& instance) {
  const std::size_t classes = instance.platform.class_count();
  if (classes != 2 && classes != 3) {
    throw InputError("instance " + in_quotes(instance.name) + " has " + std::to_string(classes) +
                     (classes == 1 ? " class" : " classes") + " of workers; hetero-swf can hold 2 or 3");
  }
  const Costs costs = instance.costs.reopened();  // a class without workers has durations, too
  fmt::memory_buffer out;
  for (const TaskId task : instance.graph.tasks()) {
    fmt::format_to(fmt::appender(out), "{}", index(task) + 1);
    for (const ClassId c : instance.platform.classes()) {
      const Time duration = costs.actual(task, c);
      fmt::format_to(fmt::appender(out), " {}", duration == kCannotRun ? "-1" : format_seconds(duration));
    }
    for (const TaskId before : instance.graph.predecessors(task)) {
      fmt::format_to(fmt::appender(out), " {}", index(before) + 1);
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

}  // namespace heddle::io
