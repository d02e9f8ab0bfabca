#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/hints.hpp"
#include "heddle/model/instance.hpp"

namespace heddle {

/// A scheduling context as it is asked for: how many workers of each class, or which ones.
struct ContextRequest {
  struct Count {
    std::string class_name;
    std::uint32_t workers;
  };

  std::string name;
  std::vector<Count> counts{};
  std::vector<std::string> named{};  ///< names of workers
  std::string policy = "eager";
};

/// Reads contexts as the command spells them: "solver:cpu=4,gpu=1:dmdas; rest:cpu=2:ws". Workers may be named instead
/// ("gpu0,cpu3"), and the policy may be left out. Throws InputError that starts with `owner` ("--contexts").
[[nodiscard]] std::vector<ContextRequest> parse_contexts(std::string_view owner, std::string_view text);

/// The same of its parts: workers are "cpu=4,gpu=1" or "gpu0,cpu3".
[[nodiscard]] ContextRequest request_context(std::string_view owner, std::string name, std::string_view workers,
                                             std::string policy);

/// Gives each context its workers: those that it names, which other contexts may name as well, and as many as it counts
/// of those that no context names and none before it got, the smallest numbers first. Throws InputError for unknown
/// classes and workers and where a class has too few.
[[nodiscard]] Table<ContextId, Context> give_workers(const Platform& platform,
                                                     std::span<const ContextRequest> requests);

/// How many workers of each class each context has, if asking for these gives the same; nothing where only names do.
[[nodiscard]] std::optional<std::vector<ContextRequest>> counted(const Platform& platform,
                                                                 const Table<ContextId, Context>& contexts);

/// Contexts of which the one listed last has all tasks.
[[nodiscard]] Contexts with_all_tasks(const TaskGraph& graph, Table<ContextId, Context> contexts);

/// Tasks of which hints speak ("POTRF@solver+TRSM:6@rest", the names of contexts in place of classes) belong to the
/// context that the last of these names; the others stay where they are. Throws InputError for unknown types and
/// contexts and for names without the indices of a tile.
void assign(const TaskGraph& graph, std::span<const Hint> hints, Contexts& contexts);

/// Deals the data to the contexts in turn, to each in proportion to its workers, and puts each task into the context
/// that has the last datum among its accesses which it changes (the owner computes: Rogers and Pingali 1989, "Process
/// decomposition through locality of reference"). Tasks that change no datum stay where they are.
void assign_by_data(const TaskGraph& graph, Contexts& contexts);

/// The context of that name. Throws InputError that lists the nearest and the possible ones when there is none.
[[nodiscard]] ContextId find_context(std::string_view name, const Table<ContextId, Context>& contexts);

}  // namespace heddle
