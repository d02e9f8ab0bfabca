#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/task_graph.hpp"

namespace heddle::io {

/// A graph that brings its durations in columns, one per kind of processor, but no machine.
struct TimedGraph {
  std::string source;  ///< names the file in errors
  std::string name;
  TaskGraph graph;  ///< one type per distinct row of durations, named like them: "3.0/-1"
  std::size_t columns = 0;
  std::vector<Time> durations;  ///< row after row, type after type; kCannotRun where a column cannot run it

  [[nodiscard]] Time duration(TypeId type, std::size_t column) const {
    return durations[index(type) * columns + column];
  }
};

/// Puts the graph on a machine: its first column gives the durations on the first class, and so on. Throws InputError
/// when the platform has more or fewer classes than there are columns, or make_instance does.
[[nodiscard]] Instance place(TimedGraph graph, Platform platform);

/// Reads "hetero-swf": one task per line, `id duration duration [duration] predecessors`, predecessors separated by
/// blanks or commas, -1 where a column cannot run the task. Whether there are two or three columns is deduced: the
/// shortest line has no predecessors. Ids may be any integers; predecessors may stand on later lines. Durations are in
/// units of `unit` picoseconds. Tasks are named like their ids. Throws InputError: file, line, what was found, what was
/// expected.
[[nodiscard]] TimedGraph read_hetero_swf(std::string_view text, std::string_view source, Time unit = kSecond);

/// Writes a graph on two or three classes in that format, in seconds, ids from 1; names, types, data and priorities are
/// lost. Throws InputError when there are fewer or more classes.
[[nodiscard]] std::string write_hetero_swf(const Instance& instance);

/// Reads the format of the Standard Task Graph set: the number of tasks, then as many lines `id time count
/// predecessors`, or two more (a dummy entry and a dummy exit); the rest, from a line that starts with '#' on, is
/// commentary. One column. Units and errors as above.
[[nodiscard]] TimedGraph read_stg(std::string_view text, std::string_view source, Time unit = kSecond);

}  // namespace heddle::io
