#pragma once

#include <string>
#include <string_view>

#include "heddle/model/instance.hpp"

namespace heddle::io {

/// Reads an instance in Heddle's own format, version 1. `source` names the text in errors: usually the path.
///
/// Times are read exactly from their decimal text. Beyond what the format says:
///  - names are not empty; tasks, types, data and classes each have names of their own;
///  - `name` is optional: the file's name without folder and suffix;
///  - a task with `seconds` of its own takes nothing from its type, the type's `estimates` included;
///  - `estimates` may name only classes that `seconds` names; for those it leaves out, policies believe the truth.
///
/// Throws InputError: file, JSON path (or line and column where it is no JSON), what was found, what was expected.
[[nodiscard]] Instance read_instance(std::string_view text, std::string_view source);

/// The instance in that format: one class, type, datum and task per line, keys in a fixed order, the same bytes for the
/// same instance on every machine. `after` lists what the accesses do not imply already. Reading it back gives an equal
/// instance, except that an estimate where the class cannot run the task is dropped. Throws InputError when two tasks,
/// types or data have the same name or one has none, for then the format cannot tell them apart.
[[nodiscard]] std::string write_instance(const Instance& instance);

}  // namespace heddle::io
