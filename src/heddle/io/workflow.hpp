#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/io/execution.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::io {

/// A node of a cluster.
struct WorkflowMachine {
  std::string name;
  std::int64_t cores = 1;  ///< 1 where the file does not say
  std::string kind{};      ///< what else the file says of it: alike for machines of one model
};

/// How a task was executed.
struct WorkflowRun {
  Time duration = 0;
  std::int64_t cores = 1;                ///< that it took; 1 where the file does not say
  std::optional<std::size_t> machine{};  ///< the one that it ran on
  std::optional<Time> start{};           ///< since the first task that has one
  std::size_t machines = 0;              ///< how many ran parts of it
};

/// A workflow in WfFormat (WfCommons, schema versions 1.4 to 1.6) that has been executed: its graph, and of each task
/// what the file tells of its execution. Tasks are named like their ids; those whose names differ in the number
/// at the end only ("split_ID0000001", "split_00000001") are of one type.
struct Workflow {
  std::string source;  ///< names the file in errors
  std::string name;
  TaskGraph graph;
  Table<TaskId, WorkflowRun> runs;
  std::vector<WorkflowMachine> machines;
  std::optional<Time> makespan{};  ///< as it was measured
};

/// Dependencies are the union of `parents` and `children`. Files that tasks read are data, with their sizes: those that
/// no task writes, and those that one task writes of which all readers are children. If a child stands before its
/// parent in the file and there are data, the tasks are numbered in another order. What else a file says is skipped, as
/// its format allows. Throws InputError (file, JSON path, what was found, what was expected) when the text is no such
/// file or there is no execution, two tasks or machines have one name, a task has no duration, one that is named does
/// not exist, an instant is no ISO 8601, or the dependencies form a cycle.
[[nodiscard]] Workflow read_workflow(std::string_view text, std::string_view source);

/// Puts the graph on a machine of one class. Throws InputError when it has more, or as make_instance.
[[nodiscard]] Instance place(Workflow workflow, Platform platform);

/// The run of a workflow.
struct WorkflowExecution {
  Execution execution;
  /// The file has no start of some task: order and waiting were not recorded, and each task was replayed on its
  /// machine, first come, first served.
  bool is_replayed = false;
  std::optional<Time> measured{};  ///< the makespan that the file names
};

/// Machines of one kind are a class: "cpu" where all are, named like their first machine otherwise. A machine has as
/// many workers as tasks that take the most cores fit on it, and at least as many as it ran at once.
///
/// Where each task has a start, an attempt is from there on for the task's duration, but ends when a successor starts
/// at the latest: starts may be rounded to seconds. Otherwise a task starts as soon as its predecessors have ended and
/// its machine has a worker for it; the one that is ready first, first.
///
/// Throws InputError when a task names no machine, although there are several, or more than one.
[[nodiscard]] WorkflowExecution execution_of(Workflow workflow);

}  // namespace heddle::io
