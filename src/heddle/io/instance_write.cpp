#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "heddle/io/access_modes.hpp"
#include "heddle/io/contexts_json.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/json_write.hpp"
#include "heddle/io/machine_json.hpp"
#include "heddle/io/text.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// Names that the format uses to refer to things must differ.
class DifferentNames {
 public:
  explicit DifferentNames(std::string_view noun) : noun_(noun) {}
  void add(std::string_view name) {
    const std::string cannot = "the instance cannot be written as a heddle-instance file: ";
    if (name.empty()) throw InputError(cannot + "a " + noun_ + " has no name");
    if (!seen_.insert(name).second) throw InputError(cannot + "a second " + noun_ + " is called " + in_quotes(name));
  }

 private:
  std::string noun_;
  std::unordered_set<std::string_view> seen_;
};

class InstanceWriter {
 public:
  explicit InstanceWriter(const Instance& instance)
      : instance_(instance),
        graph_(instance.graph),
        costs_(instance.costs.reopened()),
        implied_(implied_graph(instance.graph)) {}

  std::string write() {
    append(out_, "{\n  \"format\": \"heddle-instance\", \"version\": 1, \"name\": ");
    append_quoted(out_, instance_.name);
    append(out_, ",\n  \"platform\": {\n");
    const Platform& platform = instance_.platform;
    std::vector<ResourceClass> classes;
    for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
    append_machine(out_, 4, classes, platform.links(), platform.buses());
    append(out_, "\n  },\n  \"types\": ");
    write_types();
    if (graph_.data_count() > 0) write_data();
    if (!instance_.contexts.empty()) {
      append(out_, ",\n  ");
      append_contexts(out_, platform, instance_.contexts.all);
    }
    append(out_, ",\n  \"tasks\": ");
    write_tasks();
    append(out_, "\n}\n");
    return fmt::to_string(out_);
  }

 private:
  /// What the accesses alone make of the tasks.
  static TaskGraph implied_graph(const TaskGraph& graph) {
    TaskGraphBuilder builder;
    const TypeId any = builder.add_type("");
    for (const Datum& datum : graph.data()) builder.add_datum({"", datum.bytes, ""});
    for (const TaskId task : graph.tasks()) builder.add_task("", any, graph.accesses(task));
    return builder.build();
  }

  void write_types() {
    Block block(out_, 4);
    DifferentNames names("type");
    for (const TypeId type : graph_.types()) {
      block.next();
      names.add(graph_.type_name(type));
      append(out_, R"({"name": )");
      append_quoted(out_, graph_.type_name(type));
      write_row(Costs::row(type));
      out_.push_back('}');
    }
    block.close();
  }

  void write_data() {
    append(out_, ",\n  \"data\": ");
    Block block(out_, 4);
    DifferentNames names("datum");
    for (const Datum& datum : graph_.data()) {
      block.next();
      names.add(datum.name);
      append(out_, R"({"name": )");
      append_quoted(out_, datum.name);
      fmt::format_to(fmt::appender(out_), R"(, "bytes": {}, "home": )", datum.bytes);
      append_quoted(out_, datum.home);
      append(out_, datum.write_back ? ", \"write_back\": true}" : "}");
    }
    block.close();
  }

  void write_tasks() {
    Block block(out_, 4);
    DifferentNames names("task");
    for (const TaskId task : graph_.tasks()) {
      block.next();
      names.add(graph_.name(task));
      write_task(task);
    }
    block.close();
  }

  void write_task(TaskId task) {
    append(out_, R"({"name": )");
    append_quoted(out_, graph_.name(task));
    append(out_, R"(, "type": )");
    append_quoted(out_, graph_.type_name(graph_.type(task)));
    write_after(task);
    write_accesses(task);
    const std::int64_t priority = graph_.priority(task);
    if (priority != 0) fmt::format_to(fmt::appender(out_), R"(, "priority": {})", priority);
    if (!instance_.contexts.empty()) {
      append(out_, R"(, "context": )");
      append_quoted(out_, instance_.contexts.all[instance_.contexts.of[task]].name);
    }
    const std::uint32_t row = costs_.row(task);
    if (row != Costs::row(graph_.type(task))) write_row(row);
    out_.push_back('}');
  }

  void write_after(TaskId task) {
    before_.clear();
    std::ranges::set_difference(graph_.predecessors(task), implied_.predecessors(task), std::back_inserter(before_));
    for (std::size_t i = 0; i < before_.size(); ++i) {
      append(out_, i == 0 ? R"(, "after": [)" : ", ");
      append_quoted(out_, graph_.name(before_[i]));
    }
    if (!before_.empty()) out_.push_back(']');
  }

  void write_accesses(TaskId task) {
    const auto accesses = graph_.accesses(task);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      append(out_, i == 0 ? R"(, "access": [[)" : ", [");
      append_quoted(out_, graph_.datum(accesses[i].data).name);
      fmt::format_to(fmt::appender(out_), R"(, "{}"])", kAccessModes[static_cast<std::size_t>(accesses[i].mode)]);
    }
    if (!accesses.empty()) out_.push_back(']');
  }

  /// The durations, and the estimates that differ.
  void write_row(std::uint32_t row) {
    const auto actual = costs_.actual_row(row);
    const auto estimate = costs_.estimate_row(row);
    write_durations("seconds", actual, [&](std::size_t c) { return actual[c] != kCannotRun; });
    const auto differs = [&](std::size_t c) { return actual[c] != kCannotRun && estimate[c] != actual[c]; };
    for (std::size_t c = 0; c < actual.size(); ++c) {
      if (differs(c)) return write_durations("estimates", estimate, differs);
    }
  }

  template <class IsWritten>
  void write_durations(std::string_view key, std::span<const Time> row, IsWritten is_written) {
    fmt::format_to(fmt::appender(out_), ", \"{}\": {{", key);
    bool is_first = true;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!is_written(c)) continue;
      if (!is_first) append(out_, ", ");
      is_first = false;
      append_quoted(out_, instance_.platform.class_name(make_id<ClassId>(c)));
      append(out_, ": ");
      append(out_, format_seconds(row[c]));
    }
    out_.push_back('}');
  }

  const Instance& instance_;
  const TaskGraph& graph_;
  Costs costs_;  ///< those of classes without workers too
  TaskGraph implied_;
  Buffer out_;
  std::vector<TaskId> before_;  ///< of the task being written
};

}  // namespace

std::string write_instance(const Instance& instance) {
  return InstanceWriter(instance).write();
}

}  // namespace heddle::io
