#pragma once

#include "heddle/io/json.hpp"
#include "heddle/io/json_read.hpp"
#include "heddle/io/json_write.hpp"
#include "heddle/model/instance.hpp"

/// Scheduling contexts, as instances and schedules have them.
namespace heddle::io {

/// Reads the "contexts" of a document, and adds their names to `names`.
[[nodiscard]] Table<ContextId, Context> read_contexts(Json list, const Platform& platform, NameTable<ContextId>& names);

/// Reads a file that names the contexts of tasks, {"task": "context", ...}; the tasks that it does not name stay where
/// they are. Throws InputError: file, place, what was found, what was expected.
void read_assignment(std::string_view text, std::string_view source, const TaskGraph& graph, Contexts& contexts);

/// Writes `"contexts": [...]`, one per line, at two blanks: with numbers of workers by class where reading them gives
/// the same, else with the names of the workers.
void append_contexts(Buffer& out, const Platform& platform, const Table<ContextId, Context>& contexts);

}  // namespace heddle::io
