#include "heddle/io/workflow.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "heddle/io/instant.hpp"
#include "heddle/io/json_read.hpp"
#include "heddle/io/text.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// The member under the first of the keys that is there: versions of the format differ in names.
std::optional<Json> find_any(Json object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const auto found = find(object, key)) return found;
  }
  return std::nullopt;
}

Json require_object(Json parent, std::string_view key, std::string_view what) {
  const Json value = require(parent, key, what);
  if (value.kind() != JsonKind::object) value.fail_expected(what);
  return value;
}

/// A number of cores, maybe with a fraction, of which a part is a whole core.
std::int64_t read_cores(Json value) {
  constexpr Time kMostCores = 1'000'000;
  const Time cores = read_duration(value);
  if (cores == 0 || cores > kMostCores * kSecond) value.fail_expected("a number of cores, up to a million");
  return (cores + kSecond - 1) / kSecond;
}

/// Programs put the number of a task behind the name of what it does: "split_ID0000001", "split_00000001".
std::string_view without_number(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return name;
  std::string_view rest = name.substr(0, end + 1);
  if (rest.ends_with("_ID")) rest.remove_suffix(2);
  if (!rest.ends_with('_') || rest.size() == 1) return name;
  rest.remove_suffix(1);
  return rest;
}

class WorkflowReader {
 public:
  WorkflowReader(Json root, std::string_view source) : root_(root) { workflow_.source = source; }

  Workflow read() {
    if (root_.kind() != JsonKind::object) root_.fail_expected("an object, a workflow in WfFormat");
    workflow_.name = read_name(require(root_, "name", "the name of the workflow"), "the name of the workflow");
    const Json body = require_object(root_, "workflow", "an object, the workflow");
    // Before version 1.5, tasks hold what was executed and what was measured.
    const auto specification = find(body, "specification");
    const Json described = specification ? *specification : body;
    const auto execution = specification ? find(body, "execution") : std::optional(body);
    read_tasks(require(described, "tasks", "an array of tasks"));
    read_dependencies();
    workflow_.graph = with_place(root_, [&] { return builder_.build(); });
    add_files(described);
    if (!execution) body.fail("has no execution; expected one, which tells the durations of the tasks");
    read_execution(*execution);
    return std::move(workflow_);
  }

 private:
  void read_tasks(Json tasks) {
    expect_array(tasks, "an array of tasks");
    for (const Json task : tasks) {
      if (task.kind() != JsonKind::object) task.fail_expected("an object, a task");
      const std::string_view name = read_name(require(task, "name", "the name of a task"), "the name of a task");
      const auto id = find(task, "id");
      const Json key = id ? *id : *find(task, "name");
      ids_.add(key);
      const std::string_view kind = without_number(name);
      const auto [type, is_new] = types_.try_emplace(kind, make_id<TypeId>(types_.size()));
      if (is_new) builder_.add_type(kind);
      builder_.add_task(key.text(), type->second);
      tasks_.push_back(task);
    }
    if (tasks_.empty()) tasks.fail("is empty; expected at least one task");
  }

  void read_dependencies() {
    for (const TaskId task : ids<TaskId>(tasks_.size())) {
      for (const Json parent : list(tasks_[index(task)], "parents")) builder_.add_edge(ids_.resolve(parent), task);
      for (const Json child : list(tasks_[index(task)], "children")) builder_.add_edge(task, ids_.resolve(child));
    }
  }

  /// A file that tasks read or write.
  struct SharedFile {
    std::int64_t bytes = 0;
    std::vector<TaskId> readers{};
    std::vector<TaskId> writers{};
  };

  /// Builds the graph again, now with the files as data. Accesses imply dependencies in the order of the tasks, so this
  /// is a topological one. They must imply no others than the file gives: those of is_datum() do not.
  void add_files(Json described) {
    const std::map<std::string, SharedFile> files = read_files(described);
    std::vector<std::vector<Access>> accesses(tasks_.size());
    for (const auto& [name, file] : files) {
      if (!is_datum(file)) continue;
      const DataId datum = builder_.add_datum({.name = name, .bytes = file.bytes});
      for (const TaskId reader : file.readers) accesses[index(reader)].push_back({datum, AccessMode::read});
      for (const TaskId writer : file.writers) accesses[index(writer)].push_back({datum, AccessMode::write});
    }
    if (builder_.data_count() == 0) return;
    const TaskGraph& graph = workflow_.graph;
    for (const TypeId type : graph.types()) builder_.add_type(graph.type_name(type));
    position_.resize(tasks_.size());
    for (const TaskId task : submission_order()) {
      position_[index(task)] = builder_.add_task(graph.name(task), graph.type(task), accesses[index(task)]);
    }
    for (const TaskId task : graph.tasks()) {
      for (const TaskId successor : graph.successors(task)) {
        builder_.add_edge(position_[index(task)], position_[index(successor)]);
      }
    }
    workflow_.graph = with_place(root_, [&] { return builder_.build(); });
  }

  /// The order of the file, if tasks wait for earlier ones only, or else another one in which they do.
  [[nodiscard]] std::vector<TaskId> submission_order() const {
    const TaskGraph& graph = workflow_.graph;
    const auto waits_for_earlier = [&](TaskId task) {
      return std::ranges::all_of(graph.predecessors(task), [&](TaskId before) { return before < task; });
    };
    if (std::ranges::all_of(graph.tasks(), waits_for_earlier)) return {graph.tasks().begin(), graph.tasks().end()};
    return {graph.topological_order().begin(), graph.topological_order().end()};
  }

  /// By name. Before version 1.5, each task has its files, with their sizes; then they are a list, and tasks name them.
  [[nodiscard]] std::map<std::string, SharedFile> read_files(Json described) {
    std::map<std::string, SharedFile> files;
    const auto named = [&](Json name) -> SharedFile& {
      return files[std::string(read_name(name, "the name of a file"))];
    };
    for (const Json file : list(described, "files")) {
      if (file.kind() != JsonKind::object) file.fail_expected("an object, a file");
      named(require_any(file, {"id", "name"}, "the name of a file")).bytes = read_size(file);
    }
    for (const TaskId task : ids<TaskId>(tasks_.size())) {
      const Json from = tasks_[index(task)];
      for (const Json name : list(from, "inputFiles")) named(name).readers.push_back(task);
      for (const Json name : list(from, "outputFiles")) named(name).writers.push_back(task);
      for (const Json file : list(from, "files")) {
        if (file.kind() != JsonKind::object) file.fail_expected("an object, a file");
        SharedFile& shared = named(require_any(file, {"id", "name"}, "the name of a file"));
        shared.bytes = std::max(shared.bytes, read_size(file));
        const Json link = require(file, "link", R"("input" or "output")");
        const std::string_view direction = read_string(link, R"("input" or "output")");
        if (direction != "input" && direction != "output") link.fail_expected(R"("input" or "output")");
        (direction == "input" ? shared.readers : shared.writers).push_back(task);
      }
    }
    for (auto& [name, file] : files) {
      for (std::vector<TaskId>* of : {&file.readers, &file.writers}) {
        std::ranges::sort(*of);
        of->erase(std::ranges::unique(*of).begin(), of->end());
      }
    }
    return files;
  }

  /// Where several tasks write a file, or one reads it that does not wait for its writer, the value that is read is not
  /// known. A file without a reader moves nowhere.
  [[nodiscard]] bool is_datum(const SharedFile& file) const {
    if (file.readers.empty() || file.writers.size() > 1) return false;
    if (file.writers.empty()) return true;
    const std::span<const TaskId> successors = workflow_.graph.successors(file.writers.front());
    return std::ranges::all_of(file.readers,
                               [&](TaskId reader) { return std::ranges::binary_search(successors, reader); });
  }

  static Json require_any(Json object, std::initializer_list<std::string_view> keys, std::string_view what) {
    const auto found = find_any(object, keys);
    return found ? *found : require(object, *keys.begin(), what);
  }

  /// In bytes; 0 if the file does not tell.
  static std::int64_t read_size(Json file) {
    const auto size = find_any(file, {"sizeInBytes", "size"});
    return size ? read_integer(*size, "a whole number of bytes", 0) : 0;
  }

  /// The task of a name, by its number in the graph.
  [[nodiscard]] TaskId task_of(Json id) const {
    const TaskId task = ids_.resolve(id);
    return position_.empty() ? task : position_[index(task)];
  }

  /// The items of an optional array.
  static std::vector<Json> list(Json object, std::string_view key) {
    const auto array = find(object, key);
    if (!array) return {};
    expect_array(*array, "an array of " + std::string(key));
    std::vector<Json> items;
    for (const Json item : *array) items.push_back(item);
    return items;
  }

  void read_execution(Json execution) {
    if (execution.kind() != JsonKind::object) execution.fail_expected("an object, the execution");
    if (const auto makespan = find(execution, "makespanInSeconds")) workflow_.makespan = read_duration(*makespan);
    for (const Json machine : list(execution, "machines")) read_machine(machine);
    workflow_.runs.assign(tasks_.size(), {});
    starts_.assign(tasks_.size(), std::nullopt);
    std::vector<bool> told(tasks_.size());
    const Json tasks = require(execution, "tasks", "an array of tasks");
    expect_array(tasks, "an array of tasks");
    for (const Json task : tasks) {
      if (task.kind() != JsonKind::object) task.fail_expected("an object, a task");
      const auto id = find_any(task, {"id", "name"});
      if (!id) task.fail("has no id; expected that of a task");
      const TaskId found = task_of(*id);
      if (told[index(found)]) fail_repeated(*id, "task");
      told[index(found)] = true;
      read_run(task, found);
    }
    const auto missing = std::ranges::find(told, false);
    if (missing != told.end()) {
      const auto task = make_id<TaskId>(static_cast<std::size_t>(missing - told.begin()));
      tasks.fail("does not tell of task " + in_quotes(workflow_.graph.name(task)) + "; expected its duration");
    }
    set_starts();
    check_durations();
  }

  void read_machine(Json machine) {
    if (machine.kind() != JsonKind::object) machine.fail_expected("an object, a machine");
    WorkflowMachine& read = workflow_.machines.emplace_back();
    read.name = machines_.add(require(machine, "nodeName", "the name of a machine"));
    if (const auto memory = find(machine, "memoryInBytes")) read.kind += memory->text();
    const auto cpu = find(machine, "cpu");
    if (!cpu || cpu->kind() != JsonKind::object) return;
    if (const auto cores = find_any(*cpu, {"coreCount", "count"})) read.cores = read_cores(*cores);
    read.kind += '/' + std::to_string(read.cores);
    for (const std::string_view key : {"speedInMHz", "speed", "vendor"}) {
      if (const auto value = find(*cpu, key)) (read.kind += '/') += value->text();
    }
  }

  void read_run(Json task, TaskId id) {
    WorkflowRun& run = workflow_.runs[id];
    run.duration = read_duration(require(task, "runtimeInSeconds", "the duration of the task in seconds"));
    if (const auto cores = find_any(task, {"coreCount", "cores"})) run.cores = read_cores(*cores);
    if (const auto start = find(task, "executedAt"); start) {
      starts_[index(id)] = read_instant_of(*start);
    }
    std::vector<Json> machines = list(task, "machines");
    if (const auto machine = find(task, "machine")) machines.push_back(*machine);
    for (const Json machine : machines) run.machine = index(machines_.resolve(machine));
    run.machines = machines.size();
  }

  static Instant read_instant_of(Json value) {
    const std::optional<Instant> instant = parse_instant(read_string(value, "an instant in ISO 8601"));
    if (!instant) value.fail_expected("an instant in ISO 8601, e.g. 2020-04-01T15:10:53-08:00");
    return *instant;
  }

  /// Instants since 1970 do not fit in Time, what lies between the first start and the others does.
  void set_starts() {
    std::optional<Instant> first;
    for (const auto& start : starts_) {
      if (start && (!first || *start < *first)) first = start;
    }
    for (const TaskId task : workflow_.graph.tasks()) {
      const auto& start = starts_[index(task)];
      if (!start) continue;
      const std::optional<Time> since = start->since(*first);
      if (!since) throw InputError(workflow_.source + ": tasks start more than 100 days after each other");
      workflow_.runs[task].start = since;
    }
  }

  /// Replayed one after the other, they end in time.
  void check_durations() const {
    TimeSum sum = 0;
    for (const WorkflowRun& run : workflow_.runs) sum += run.duration;
    if (sum > kMaxTime / 16) {
      throw InputError(workflow_.source + ": the tasks together take more than " + format_seconds(kMaxTime / 16) +
                       " s; expected durations in seconds");
    }
  }

  Json root_;
  Workflow workflow_;
  TaskGraphBuilder builder_;
  NameTable<TaskId> ids_{"task"};
  NameTable<WorkerId> machines_{"machine"};
  std::unordered_map<std::string_view, TypeId> types_;
  std::vector<Json> tasks_;       ///< as they are specified
  std::vector<TaskId> position_;  ///< their numbers in the graph; empty: those of tasks_
  std::vector<std::optional<Instant>> starts_;
};

}  // namespace

Workflow read_workflow(std::string_view text, std::string_view source) {
  const JsonDocument document(text, source);
  return WorkflowReader(document.root(), source).read();
}

Instance place(Workflow workflow, Platform platform) {
  if (platform.class_count() != 1) {
    throw InputError(workflow.source + ": the file gives 1 duration per task, but the platform has " +
                     std::to_string(platform.class_count()) +
                     " classes; expected one class, e.g. --platform counts:cpu=16");
  }
  Costs costs(workflow.graph, 1);
  for (const TaskId task : workflow.graph.tasks()) {
    costs.set_actual(costs.own_row(task), make_id<ClassId>(0), workflow.runs[task].duration);
  }
  try {
    return make_instance(std::move(workflow.name), std::move(workflow.graph), std::move(platform), std::move(costs));
  } catch (const InputError& error) {
    throw InputError(workflow.source + ": " + error.what());
  }
}

}  // namespace heddle::io
