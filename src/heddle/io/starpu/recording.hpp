#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/platform.hpp"

namespace heddle::io {

/// Where the duration of a recorded task is looked up.
struct CostKey {
  std::string codelet;    ///< StarPU's performance model; empty when the task was recorded without one
  std::string footprint;  ///< hash of the task's data sizes, 8 lower-case hex digits

  bool operator==(const CostKey&) const = default;
};

/// What happened to a task when it was recorded. It tells about the recorded machine only: durations of an instance
/// that is placed on a machine come from there.
struct RecordedRun {
  std::uint32_t worker = 0;  ///< StarPU's number: GPUs first, then CPU cores; counted per rank with several MPI ranks
  std::uint32_t memory_node = 0;  ///< of that worker: 0 is the main memory
  Time submitted = 0;             ///< by the program; 0 where the file does not say
  Time start = 0;
  Time duration = 0;
  bool timed = false;  ///< whether the file says when it ended
};

/// The task graph of a StarPU run (`tasks.rec`), without a machine.
///
/// Tasks are the records that ran on a worker. They are numbered in submission order (the file itself is in completion
/// order), named "<Name>#<JobId>", and have one type per name and cost key. A type is called like its tasks, with
/// ".<footprint>" behind where several types would share that name.
struct Recording {
  std::string name;
  std::string source;  ///< names the file in errors
  TaskGraph graph;
  Table<TypeId, CostKey> cost_keys;
  Table<TaskId, RecordedRun> runs;
  Table<DataId, std::string> handles;  ///< of the data, as the file spells them
  bool has_ranks = false;              ///< several MPI ranks ran the tasks, each on workers of its own
  std::vector<std::string> warnings;   ///< a sentence each: what was in the file and has been left out
};

/// A datum as a companion `data.rec` describes it.
struct RecordedDatum {
  std::string handle;  ///< as the Handles of `tasks.rec` spell it
  std::string name;    ///< empty when the application gave none
  std::int64_t bytes = 0;
  std::int64_t home_node = 0;  ///< memory node: 0 is the main memory, 1 the first GPU's, negative none
};

/// Reads `data.rec`. Throws InputError: file, line, what was found, what was expected.
[[nodiscard]] std::vector<RecordedDatum> read_data_rec(std::string_view text, std::string_view source);

/// Reads `tasks.rec`; `source` names the text in errors and, without folder and suffixes, the recording.
///
/// Dependencies are the union of DependsOn and of what the accesses imply in submission order. Records that never ran
/// on a worker (synchronisation, ghosts, WontUse) and those of StarPU itself ("_starpu_...") are contracted: what waits
/// for them waits for what they wait for. Records without SubmitOrder, which StarPU submits itself, take the place
/// their JobId gives them and depend by DependsOn alone, since their accesses are not part of the program's order; if
/// no record has a SubmitOrder, the order of the file serves. Scratch data are left out; DependsOn on records that are
/// not in the file is ignored, with a warning.
///
/// WontUse of a datum that has a home and that no later task writes makes it one that is written back.
///
/// `data` adds names, homes (without it "ram") and the sizes that the tasks do not tell.
/// Throws InputError (file, line, what was found, what was expected) when the text is no such file, two records have
/// one JobId, no record is a task, the dependencies form a cycle, or the synchronisation would multiply into more than
/// 64 million of them.
[[nodiscard]] Recording read_tasks_rec(std::string_view text, std::string_view source,
                                       const std::vector<RecordedDatum>& data = {});

/// Reads a file `<prefix>tasks.rec` and, when there is one, its companion `<prefix>data.rec`; each may be packed with
/// gzip and then end in ".gz". Throws InputError as read_file, read_tasks_rec and read_data_rec do.
[[nodiscard]] Recording load_recording(const std::string& path);
/// The same for a file that was read already: a pipe can be read once.
[[nodiscard]] Recording read_recording(std::string_view text, const std::string& path);

/// The file `<prefix><name><suffix>`, or that with ".gz" behind it, beside a file `<prefix>tasks.rec`; nothing where
/// there is none.
[[nodiscard]] std::optional<std::string> find_companion(const std::string& path, std::string_view name,
                                                        std::string_view suffix);

/// Puts the graph on a machine: each task takes what the machine measured for its codelet and footprint. Where there is
/// no such measurement, tasks of a type that never took any time in the recording take none on any class: programs use
/// such codelets to synchronise, and no machine measures them. Otherwise throws InputError that says what the machine
/// has instead: a duration is not guessed. Throws it also where make_instance does.
[[nodiscard]] Instance place(Recording recording, const Machine& machine);

}  // namespace heddle::io
