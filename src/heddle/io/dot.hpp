#pragma once

#include <string>

#include "heddle/model/task_graph.hpp"

namespace heddle::io {

/// The graph for Graphviz: a node per task, labelled with its name and type, a colour per type. For looking: it holds
/// no durations.
[[nodiscard]] std::string write_dot(const TaskGraph& graph, std::string_view name);

}  // namespace heddle::io
