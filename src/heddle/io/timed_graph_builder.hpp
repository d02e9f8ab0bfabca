#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heddle/io/text.hpp"
#include "heddle/io/timed_graph.hpp"

namespace heddle::io {

/// Collects the tasks of a text file that calls them by integers, in any order, and makes the graph of them.
class TimedGraphBuilder {
 public:
  /// `lines` is where the tasks come from, for errors; it must outlive the builder.
  TimedGraphBuilder(const Lines& lines, std::size_t columns) : lines_(lines), columns_(columns) {}

  /// A task on the current line. Throws InputError when the id has been there before or no column can run it.
  void add_task(std::int64_t id, std::span<const Time> row);
  /// The last task waits for the one with this id, which may come later.
  void add_predecessor(std::int64_t id) { waits_.push_back({id, make_id<TaskId>(ids_.size() - 1), lines_.number()}); }

  /// Throws InputError when there is no task, when a predecessor is unknown (with `hint` behind the sentence), or when
  /// the dependencies form a cycle.
  [[nodiscard]] TimedGraph build(std::string_view source, std::string_view hint = "");

 private:
  struct Place {
    TaskId task;
    std::size_t line;
  };
  struct Wait {
    std::int64_t before;
    TaskId task;
    std::size_t line;
  };

  [[nodiscard]] TypeId type_of(std::span<const Time> row);

  const Lines& lines_;
  std::size_t columns_;
  TaskGraphBuilder graph_;
  std::unordered_map<std::int64_t, Place> ids_;
  std::vector<Wait> waits_;
  std::unordered_map<std::string, TypeId> types_;  ///< by name, which is the row
  std::vector<Time> durations_;
};

}  // namespace heddle::io
