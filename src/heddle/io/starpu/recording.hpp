#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/machine.hpp"

namespace heddle::io {

/// Where the duration of a recorded task is looked up.
struct CostKey {
  std::string codelet;    ///< StarPU's performance model; empty when the task was recorded without one
  std::string footprint;  ///< hash of the task's data sizes, 8 lower-case hex digits

  bool operator==(const CostKey&) const = default;
};

/// What happened to a task when it was recorded. It tells about the recorded machine only: durations of an instance
/// come from the machine the recording is joined with.
struct RecordedRun {
  std::uint32_t worker = 0;  ///< StarPU's number: GPUs first, then CPU cores; counted per rank with several MPI ranks
  Time duration = 0;
};

/// The task graph of a StarPU run (`tasks.rec`), without a machine.
///
/// Tasks are the records that ran on a worker. They are numbered in submission order (the file itself is in completion
/// order), named "<Name>#<JobId>", and have one type per pair of name and cost key. A type is called like its tasks,
/// with ".<footprint>" behind where several types would share that name.
struct Recording {
  std::string name;
  TaskGraph graph;
  Table<TypeId, CostKey> cost_keys;
  Table<TaskId, RecordedRun> runs;
  std::vector<std::string> warnings;  ///< a sentence each: what was in the file and has been left out
};

/// A datum as a companion `data.rec` describes it.
struct RecordedDatum {
  std::string handle;  ///< as the Handles of `tasks.rec` spell it
  std::string name;    ///< empty when the application gave none
  std::int64_t bytes = 0;
  std::int64_t home_node = 0;  ///< memory node: 0 is the main memory, 1 the first GPU's, negative none
};

/// Reads `data.rec`, plain or gzip. Throws InputError that starts with `source` and the line.
[[nodiscard]] std::vector<RecordedDatum> parse_data_rec(std::string_view bytes, const std::string& source);

/// Reads `tasks.rec`, plain or gzip; `source` names it in messages and, without folder and suffix, the recording.
///
/// Dependencies are the union of DependsOn and of what the accesses imply in submission order. Records that never ran
/// on a worker (synchronisation, ghosts, WontUse) and those of StarPU itself ("_starpu_...") are contracted: what waits
/// for them waits for what they wait for. Records without SubmitOrder, which StarPU submits itself, take the place
/// their JobId gives them and depend by DependsOn alone, since their accesses are not part of the program's order; if
/// no record has a SubmitOrder, the order of the file serves. DependsOn on records that are not in the file is ignored.
///
/// `data` adds names, sizes of data that the tasks do not tell, and homes; homes are "ram" without it.
/// Throws InputError that starts with `source` and, where there is one, the line: not records, fields that cannot be
/// read, two records with one JobId, no task at all, a cycle, more than 1 GiB of decompressed text, or synchronisation
/// that would multiply into more than 64 million dependencies.
[[nodiscard]] Recording parse_tasks_rec(std::string_view bytes, const std::string& source,
                                        const std::vector<RecordedDatum>& data = {});

/// Reads a `tasks.rec` file and, where it is beside it under the same prefix, its `data.rec` (each may end in `.gz`).
[[nodiscard]] Recording load_recording(const std::filesystem::path& path);

/// What it means to run a recorded graph on a machine: every task takes what the machine measured for its codelet and
/// footprint. Throws InputError that names the codelet, the footprint and what the machine has instead when there is no
/// such measurement, since a duration is not guessed; and as make_instance does.
[[nodiscard]] Instance join(Recording recording, const Machine& machine);

}  // namespace heddle::io
