#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle {

/// Static knowledge about an application: tasks of a type shall run on one class only ("GEMM@gpu"), or those of them
/// that are at least so many tiles from the diagonal ("TRSM:6@cpu": where row and column in the task's name,
/// "TRSM(9,2)", differ by 6 or more). Kumar 2017, section 2.4.3.
struct Hint {
  std::string type;
  std::string class_name;
  std::uint32_t tiles = 0;  ///< from the diagonal, at least; 0: all tasks of the type
};

/// Reads hints joined by '+': "GEMM@gpu+TRSM:6@cpu". Throws InputError that starts with `owner` ("--force").
/// `expected`: how that sentence ends, where hints send tasks to something else than classes.
[[nodiscard]] std::vector<Hint> parse_hints(
    std::string_view owner, std::string_view text,
    std::string_view expected = "TYPE@CLASS or TYPE:TILES@CLASS, e.g. GEMM@gpu or TRSM:6@cpu");

/// The tasks that the hint speaks of, wherever it sends them. Throws InputError for an unknown type and for names
/// without the indices of a tile.
[[nodiscard]] std::vector<TaskId> hinted_tasks(const TaskGraph& graph, const Hint& hint);

/// The class that each task shall run on, the last hint that speaks of it ruling; kNone where none does. Throws
/// InputError for types and classes that are unknown, for tasks that cannot run on the class, and for names without the
/// indices of a tile.
[[nodiscard]] Table<TaskId, ClassId> hinted_classes(const Instance& instance, std::span<const Hint> hints);

/// The instance in which tasks can run only where hints send them. Every policy obeys, and bounds are those of the
/// instance with the hints. Throws as hinted_classes().
[[nodiscard]] Instance with_hints(const Instance& instance, std::span<const Hint> hints);

/// The instance in which every class but the one listed last, the accelerators, is slower: all durations, believed and
/// true, are `percent` longer, rounded half up. Plans made for it leave the other classes room for transfers that they
/// do not know of (Kumar 2017, sections 3.9 and 4.4.4). Throws InputError when durations become too long.
[[nodiscard]] Instance inflated(const Instance& instance, std::uint32_t percent);

}  // namespace heddle
