#include "heddle/io/timed_graph_builder.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::io {

void TimedGraphBuilder::add_task(std::int64_t id, std::span<const Time> row) {
  const auto [place, is_new] = ids_.try_emplace(id, Place{make_id<TaskId>(ids_.size()), lines_.number()});
  if (!is_new) {
    lines_.fail("there is a second task " + std::to_string(id) + "; the first is on line " +
                std::to_string(place->second.line));
  }
  if (std::ranges::count(row, kCannotRun) == std::ssize(row)) {
    lines_.fail("task " + std::to_string(id) + " can run nowhere; expected at least one duration");
  }
  graph_.add_task(std::to_string(id), type_of(row));
}

TypeId TimedGraphBuilder::type_of(std::span<const Time> row) {
  std::string name;
  for (const Time duration : row) {
    name += (name.empty() ? "" : "/") + (duration == kCannotRun ? "-1" : format_seconds(duration));
  }
  const auto [type, is_new] = types_.try_emplace(name, make_id<TypeId>(types_.size()));
  if (is_new) {
    graph_.add_type(name);
    durations_.insert(durations_.end(), row.begin(), row.end());
  }
  return type->second;
}

TimedGraph TimedGraphBuilder::build(std::string_view source, std::string_view hint) {
  if (ids_.empty()) throw InputError(std::string(source) + ": there is no task in the file");
  for (const Wait& wait : waits_) {
    const auto before = ids_.find(wait.before);
    if (before == ids_.end()) {
      lines_.fail_at(wait.line, "there is no task " + std::to_string(wait.before) +
                                    ", which this one is said to wait for" + std::string(hint));
    }
    graph_.add_edge(before->second.task, wait.task);
  }
  try {
    return {std::string(source), stem(source), graph_.build(), columns_, std::move(durations_)};
  } catch (const InputError& error) {
    throw InputError(std::string(source) + ": " + error.what());
  }
}

}  // namespace heddle::io
