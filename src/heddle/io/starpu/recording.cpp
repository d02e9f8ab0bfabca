#include "heddle/io/starpu/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "heddle/io/file.hpp"
#include "heddle/io/starpu/contraction.hpp"
#include "heddle/io/starpu/footprint.hpp"
#include "heddle/io/starpu/program.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// Names that are all different although they come from a file: each is given once, then variations of it are.
class UniqueNames {
 public:
  std::string claim(const std::string& name) {
    std::string variation = name;
    while (!given_.insert(variation).second) {
      variation = name + "." + std::to_string(++variations_.try_emplace(name, 1).first->second);
    }
    return variation;
  }

 private:
  std::unordered_set<std::string> given_;
  std::unordered_map<std::string, std::size_t> variations_;
};

/// The types of the tasks, in order of appearance.
class RecordedTypes {
 public:
  explicit RecordedTypes(const Program& program) {
    for (const TaskRecord& record : program.records) {
      if (record.is_task()) number_of(record);
    }
  }

  TypeId number_of(const TaskRecord& record) {
    const Key key{record.label(), record.model, record.footprint};
    const auto [found, is_new] = number_.emplace(key, make_id<TypeId>(keys_.size()));
    if (is_new) {
      keys_.push_back(key);
      ++types_called_[record.label()];
    }
    return found->second;
  }

  void add_to(TaskGraphBuilder& builder, Table<TypeId, CostKey>& cost_keys) const {
    UniqueNames names;
    for (const auto& [label, model, hash] : keys_) {
      const std::string footprint = format_footprint(hash);
      const bool alone = types_called_.at(label) == 1;
      builder.add_type(names.claim(std::string(label) + (alone ? "" : "." + footprint)));
      cost_keys.push_back({.codelet = std::string(model), .footprint = footprint});
    }
  }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::uint32_t>;

  std::map<Key, TypeId> number_;
  std::vector<Key> keys_;
  std::unordered_map<std::string_view, std::size_t> types_called_;
};

std::string task_name(const TaskRecord& record) {
  const std::string_view label = record.label() == "task" && !record.is_task() ? "record" : record.label();
  return std::string(label) + "#" + std::string(record.job);
}

/// All records as tasks of one graph, so that accesses imply their dependencies and a cycle is found and told.
TaskGraph graph_of_records(const Program& program) {
  TaskGraphBuilder builder;
  const TypeId any = builder.add_type("record");
  for (const Datum& datum : program.data) builder.add_datum(datum);
  for (std::size_t i = 0; i < program.records.size(); ++i) {
    builder.add_task(task_name(program.records[i]), any, program.accesses_of(i));
  }
  for (const Program::Dependency& dependency : program.dependencies) {
    builder.add_edge(make_id<TaskId>(dependency.from), make_id<TaskId>(dependency.to));
  }
  return builder.build();
}

std::vector<PassedDependency> dependencies_of_tasks(const Program& program) {
  Table<TaskId, bool> kept;
  kept.reserve(program.records.size());
  for (const TaskRecord& record : program.records) kept.push_back(record.is_task());
  return contract(graph_of_records(program), kept);
}

/// Makes the graph of the tasks alone.
class TasksOf {
 public:
  TasksOf(const Program& program, Recording& recording)
      : program_(program),
        recording_(recording),
        types_(program),
        task_of_(program.records.size(), kNone<TaskId>),
        datum_of_(program.data.size(), kNone<DataId>) {}

  void build(const std::vector<PassedDependency>& dependencies) {
    types_.add_to(builder_, recording_.cost_keys);
    for (std::size_t i = 0; i < program_.records.size(); ++i) {
      if (program_.records[i].is_task()) add_task(i);
    }
    for (const auto& [from, to] : dependencies) builder_.add_edge(task_of_[from], task_of_[to]);
    recording_.graph = builder_.build();
  }

 private:
  void add_task(std::size_t position) {
    const TaskRecord& record = program_.records[position];
    accesses_.clear();
    for (const Access access : program_.accesses_of(position)) {
      accesses_.push_back({datum_of(access.data), access.mode});
    }
    task_of_[make_id<TaskId>(position)] =
        builder_.add_task(task_name(record), types_.number_of(record), accesses_, record.priority);
    recording_.has_ranks = recording_.has_ranks || !record.rank.empty();
    recording_.runs.push_back({.worker = record.worker.value_or(0),
                               .memory_node = record.memory_node,
                               .submitted = record.submitted,
                               .start = record.start,
                               .duration = record.end - record.start,
                               .timed = record.end > 0});
  }

  /// Data that only synchronisation touches are not part of the graph.
  DataId datum_of(DataId in_program) {
    DataId& datum = datum_of_[in_program];
    if (datum == kNone<DataId>) {
      datum = builder_.add_datum(program_.data[index(in_program)]);
      recording_.handles.push_back(program_.handles[index(in_program)]);
    }
    return datum;
  }

  const Program& program_;
  Recording& recording_;
  RecordedTypes types_;
  TaskGraphBuilder builder_;
  Table<TaskId, TaskId> task_of_;
  Table<DataId, DataId> datum_of_;
  std::vector<Access> accesses_;
};

/// A file that was cut short mostly ends within a record, whose last fields would be taken for absent.
void check_last(const std::vector<TaskRecord>& records, const RecordReader& reader) {
  if (records.size() < 2 || records.back().closed) return;
  if (!std::ranges::all_of(std::span(records).first(records.size() - 1), &TaskRecord::closed)) return;
  reader.fail_at(records.back().line,
                 "the last record has no MPIRank, which all others have; expected a file that is whole");
}

std::vector<TaskRecord> read_records(RecordReader& reader, std::string_view source) {
  std::vector<TaskRecord> records;
  std::vector<Field> fields;
  bool has_task = false;
  while (std::optional<TaskRecord> record = next_task_record(reader, fields)) {
    has_task = has_task || record->is_task();
    records.push_back(*record);
  }
  check_last(records, reader);
  if (!has_task) {
    throw InputError(std::string(source) +
                     ": found no task; expected records with a JobId and the WorkerId that ran them");
  }
  return records;
}

/// "runs/lu-n08.tasks.rec" becomes "lu-n08".
std::string recording_name(std::string_view source) {
  std::string name(source.substr(source.rfind('/') + 1));
  for (const std::string_view suffix : {".gz", ".rec", "tasks", "."}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name;
}

}  // namespace

Recording read_tasks_rec(std::string_view text, std::string_view source, const std::vector<RecordedDatum>& data) {
  RecordReader reader(text, source);
  Recording recording;
  recording.name = recording_name(source);
  recording.source = source;
  const Program program = make_program(read_records(reader, source), data, reader);
  recording.warnings = program.warnings;
  try {
    TasksOf(program, recording).build(dependencies_of_tasks(program));
  } catch (const InputError& error) {
    throw InputError(recording.source + ": " + error.what());
  }
  return recording;
}

std::optional<std::string> find_companion(const std::string& path, std::string_view name, std::string_view suffix) {
  namespace fs = std::filesystem;
  constexpr std::string_view kTasks = "tasks.rec";
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const std::string file = path.substr(folder.size());
  const std::size_t tasks = file.rfind(kTasks);
  if (tasks == std::string::npos) return std::nullopt;
  for (const std::string_view packed : {"", ".gz"}) {
    std::string companion = folder + file.substr(0, tasks);
    companion.append(name).append(suffix).append(packed);
    std::error_code ignored;
    if (fs::is_regular_file(companion, ignored)) return companion;
  }
  return std::nullopt;
}

Recording read_recording(std::string_view text, const std::string& path) {
  const std::optional<std::string> data = find_companion(path, "data", ".rec");
  if (!data) return read_tasks_rec(text, path);
  return read_tasks_rec(text, path, read_data_rec(read_file(*data), *data));
}

Recording load_recording(const std::string& path) {
  return read_recording(read_file(path), path);
}

}  // namespace heddle::io
