#pragma once

#include <span>
#include <vector>

#include "heddle/io/json.hpp"
#include "heddle/io/json_read.hpp"
#include "heddle/io/json_write.hpp"
#include "heddle/model/platform.hpp"

/// What instance and platform files have in common: classes, links, buses, and durations by class.
namespace heddle::io {

/// Reads "classes", "links" and "buses" of `object`, whose keys have been checked, and adds the class names to `names`.
/// Throws InputError when the parts don't fit together, too.
[[nodiscard]] Platform read_machine(Json object, NameTable<ClassId>& names);

/// Fills `row` with the durations that a "seconds" or "estimates" object gives by class name; kCannotRun for the
/// others.
void read_durations(Json object, const NameTable<ClassId>& classes, std::vector<Time>& row);

/// Writes the three, without the brace around them, at `indent` blanks. Links and buses only where there are some.
void append_machine(Buffer& out, int indent, std::span<const ResourceClass> classes, std::span<const Link> links,
                    std::span<const Bus> buses);

}  // namespace heddle::io
