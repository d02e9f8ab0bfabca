#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/registry.hpp"

/// Instances, machines, policies and schedules by the texts that name them: a file of any format that Heddle reads
/// (docs/formats.md), or something built in, on any machine. The command takes the same texts.
///
/// A path may be "-", standard input, which is read once and says the same however often it is named; a file of that
/// name is "./-". Files may be packed with gzip. All functions throw InputError, in one sentence, when a text names
/// nothing, a file cannot be read, or what it holds makes no sense.
namespace heddle::files {

/// How texts are read.
struct Reading {
  /// Asked ten times a second while nothing comes out of a pipe; when it says so, reading ends with an InputError.
  std::function<bool()> stop{};
  /// Is told, in a sentence each, what was left out.
  std::function<void(const std::string&)> warn{};
};

/// A file that was read: once, as what comes from a pipe can be.
struct File {
  std::string path;     ///< as it was named, but "standard input" for "-"
  std::string content;  ///< unpacked
  std::string format;   ///< "heddle-instance", "stg", ...; empty: none that is known
};

/// `format`: what the file holds; empty: by content.
[[nodiscard]] File read(const std::string& path, std::string_view format = {}, const Reading& reading = {});

/// A machine, and what is known of its name.
struct LoadedMachine {
  Machine machine;
  std::string name;  ///< with the settings that were given: "mirage:gpu=5"
  /// It has measured links, and the text does not say whether to use them: an instance on it is without.
  bool links_undecided = false;
};

/// A machine with all that was measured: also links that the text does not mention, and classes without workers. The
/// text is a built-in machine ("mirage"), "counts:cpu=16,gpu=4", a platform file, or a folder of StarPU's performance
/// models; settings may follow ("machine.json:gpu=5,links=off").
[[nodiscard]] LoadedMachine load_machine(const std::string& text, const Reading& reading = {});
/// The same of a platform file that was read.
[[nodiscard]] LoadedMachine load_machine(const File& file);
/// Whether the text names a machine: a built-in one, a folder, or a file with settings behind it.
[[nodiscard]] bool names_machine(const std::string& text);

/// What becomes of the instance that a text names.
struct InstanceOptions {
  std::string platform{};  ///< the machine, as for load_machine(); empty: that of the file
  std::string unit = "s";  ///< of durations in formats that do not say: "s" or "ms"
  std::string force{};     ///< hints, "GEMM@gpu+TRSM:6@cpu" (hints.hpp); empty: none
  std::string inflate{};   ///< percent by which all classes but the last are slower; empty: not
  /// Scheduling contexts, "solver:cpu=4,gpu=1:dmdas; rest:cpu=2:ws" (docs/contexts.md); empty: those of the file.
  std::string contexts{};
  /// Which tasks belong to which context: "POTRF@solver+TRSM:6@rest", or a file that says {"task": "context"}. The
  /// others stay where the file has them, or belong to the context listed last.
  std::string assign{};
};

/// An instance, and what is known of its machine.
struct LoadedInstance {
  Instance instance;
  std::string platform{};        ///< for people: "mirage:gpu=5", or the name of the file
  bool links_undecided = false;  ///< LoadedMachine::links_undecided of the machine; the instance is without links
};

/// The text is a workload ("cholesky:tiles=12"), which needs a machine, or a file: an instance, or a graph without a
/// machine, such as a recording of StarPU.
[[nodiscard]] LoadedInstance load_instance(const std::string& text, const InstanceOptions& options = {},
                                           const Reading& reading = {});
/// The same of a file that was read. `data`: the data.rec of a tasks.rec; none: the one that lies beside it.
[[nodiscard]] LoadedInstance load_instance(const File& file, const InstanceOptions& options,
                                           const std::optional<File>& data = std::nullopt, const Reading& reading = {});

/// A policy with its options. An option "key=@FILE" has what the file holds for its value.
[[nodiscard]] policy::Spec load_policy(const std::string& text, const Reading& reading = {});
/// Several: "all,heft:rank=avg,dada:alpha=0.5,cp=true"; "all" is every registered one.
[[nodiscard]] std::vector<policy::Spec> load_policies(const std::string& text, const Reading& reading = {});

/// Whether the policy follows a schedule and does not say which.
[[nodiscard]] bool lacks_plan(const policy::Spec& spec);
/// The schedule that the policy follows, which its option `file` names; an empty one for policies that follow none.
[[nodiscard]] Schedule load_plan(const policy::Spec& spec, const Instance& instance, const Reading& reading = {});
/// The same for tasks that become known while others run (runtime::Config::plan); empty for policies that follow none.
[[nodiscard]] std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec, const Reading& reading = {});

/// A schedule, and what its file claims.
struct LoadedSchedule {
  std::string path;  ///< as File::path
  Schedule schedule;
  std::optional<Time> stated_makespan;
};
/// A schedule of the instance, valid or not (judge::violations).
[[nodiscard]] LoadedSchedule load_schedule(const std::string& path, const Instance& instance,
                                           const Reading& reading = {});

/// A run that happened: a schedule, and the instance that it is of.
struct LoadedRun {
  std::string path;  ///< of the schedule or the recording, as File::path
  LoadedInstance loaded;
  Schedule schedule;  ///< its attempts are valid, whatever they last
  /// False of a recording, in which also the overhead of the engine shows. It may have some, from the paje.trace
  /// beside it.
  bool has_transfers = true;
  Table<TaskId, Time> submitted{};  ///< when the program submitted each task; empty: all at the start
  /// Order and waiting were not recorded: each task was replayed where it ran, as soon as it could.
  bool is_replayed = false;
  std::optional<Time> measured{};  ///< the makespan that the file names beside what it tells of the tasks
};
/// One run, or two to compare. The texts are recordings (StarPU's, or workflows in WfFormat), or an instance and
/// schedules of it. A recording takes the workers and durations that it shows where options.platform is empty or
/// "recorded"; what tasks would have taken elsewhere comes from the machine otherwise.
[[nodiscard]] std::vector<LoadedRun> load_runs(const std::vector<std::string>& texts,
                                               const InstanceOptions& options = {}, const Reading& reading = {});

/// One run: a schedule of the instance, which the file holds.
[[nodiscard]] LoadedRun load_run(const LoadedInstance& loaded, const File& file);

/// Writes a file, which is replaced at once or not at all. An instance is written as the suffix says: Heddle's own
/// format (.json), hetero-swf (.swf, .txt), which keeps durations and dependencies only, or DOT (.dot, .gv), which
/// keeps names, types and dependencies only.
void save(const Instance& instance, const std::string& path);
void save(const Schedule& schedule, const Instance& instance, const std::string& path);
void save(const Machine& machine, const std::string& path);

/// Something built in that a text may name.
struct BuiltIn {
  std::string name;
  std::string summary;  ///< one sentence
};
[[nodiscard]] std::vector<BuiltIn> built_in_machines();
[[nodiscard]] std::vector<BuiltIn> built_in_workloads();

}  // namespace heddle::files
