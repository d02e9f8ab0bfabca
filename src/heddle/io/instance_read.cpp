#include <algorithm>
#include <utility>

#include "heddle/io/access_modes.hpp"
#include "heddle/io/contexts_json.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/json_read.hpp"
#include "heddle/io/machine_json.hpp"
#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

class InstanceReader {
 public:
  InstanceReader(Json root, std::string_view source) : root_(root), source_(source) {}

  Instance read() {
    expect_document(root_, "heddle-instance", {"name", "platform", "types", "data", "contexts", "tasks"});
    Platform platform = read_platform();
    read_types();
    read_data(platform);
    if (const auto contexts = find(root_, "contexts"))
      contexts_.all = read_contexts(*contexts, platform, context_names_);
    read_tasks();
    TaskGraph graph = with_place(root_, [&] { return builder_.build(); });
    Costs costs = read_costs(graph, platform);
    const auto name = find(root_, "name");
    std::string title = name ? std::string(read_string(*name, "the name of the instance")) : stem(source_);
    return with_place(root_, [&] {
      Instance instance = make_instance(std::move(title), std::move(graph), std::move(platform), std::move(costs));
      return with_contexts(std::move(instance), std::move(contexts_));
    });
  }

 private:
  Platform read_platform() {
    const Json object = require(root_, "platform", "an object with classes of workers");
    expect_object(object, "an object with classes of workers", {"classes", "links", "buses"});
    return read_machine(object, classes_);
  }

  /// The items of an optional array.
  std::vector<Json> list(std::string_view key) {
    const auto array = find(root_, key);
    if (!array) return {};
    expect_array(*array, "an array of " + std::string(key));
    std::vector<Json> items;
    for (const Json item : *array) items.push_back(item);
    return items;
  }

  void read_types() {
    types_json_ = list("types");
    for (const Json type : types_json_) {
      expect_object(type, "a type, e.g. {\"name\": \"POTRF\", \"seconds\": {\"cpu\": 0.01}}",
                    {"name", "seconds", "estimates"});
      builder_.add_type(types_.add(require(type, "name", "the name of a type")));
    }
  }

  void read_data(const Platform& platform) {
    NameTable<MemoryId> memories("memory");
    for (const Memory& memory : platform.memories()) memories.add(memory.name);
    for (const Json value : list("data")) {
      expect_object(value, "a datum, e.g. {\"name\": \"A\", \"bytes\": 800}", {"name", "bytes", "home", "write_back"});
      Datum datum;
      datum.name = data_.add(require(value, "name", "the name of a datum"));
      datum.bytes =
          read_integer(require(value, "bytes", "its size in bytes"), "a whole number of bytes (digits only)", 0);
      if (const auto home = find(value, "home")) {
        static_cast<void>(memories.resolve(*home));
        datum.home = home->text();
      }
      if (const auto write_back = find(value, "write_back")) datum.write_back = read_boolean(*write_back);
      builder_.add_datum(std::move(datum));
    }
  }

  /// Names first, since a task may come after one that stands further down.
  void read_tasks() {
    static_cast<void>(require(root_, "tasks", "an array of tasks"));
    tasks_json_ = list("tasks");
    tasks_.reserve(tasks_json_.size());
    for (const Json task : tasks_json_) {
      expect_object(task, "a task, e.g. {\"name\": \"p0\", \"type\": \"POTRF\"}",
                    {"name", "type", "after", "access", "priority", "context", "seconds", "estimates"});
      tasks_.add(require(task, "name", "the name of a task"));
    }
    for (const Json task : tasks_json_) read_task(task);
  }

  void read_task(Json task) {
    const TypeId type = types_.resolve(require(task, "type", "the name of a type"));
    const auto hint = find(task, "priority");
    const std::int64_t priority = hint ? read_integer(*hint, "a whole number of 64 bits (no point, no exponent)") : 0;
    read_accesses(task);
    read_context(task);
    const TaskId id =
        with_place(task, [&] { return builder_.add_task(find(task, "name")->text(), type, accesses_, priority); });
    const auto after = find(task, "after");
    if (!after) return;
    expect_array(*after, "an array of task names");
    for (const Json before : *after) builder_.add_edge(tasks_.resolve(before), id);
  }

  /// A task that names none is of the context listed last.
  void read_context(Json task) {
    const auto context = find(task, "context");
    if (context) {
      contexts_.of.push_back(context_names_.resolve(*context));
    } else if (!contexts_.empty()) {
      contexts_.of.push_back(make_id<ContextId>(contexts_.all.size() - 1));
    }
  }

  void read_accesses(Json task) {
    accesses_.clear();
    const auto list = find(task, "access");
    if (!list) return;
    expect_array(*list, "an array of pairs, e.g. [[\"A\", \"rw\"]]");
    for (const Json access : *list) {
      const bool is_pair = access.kind() == JsonKind::array && access.size() == 2;
      if (!is_pair) access.fail_expected("a pair of datum and mode, e.g. [\"A\", \"rw\"]");
      const Json mode = *++access.begin();
      accesses_.push_back({data_.resolve(*access.begin()), read_mode(mode)});
    }
  }

  static AccessMode read_mode(Json value) {
    const std::string_view text = read_string(value, "an access mode");
    const auto mode = std::ranges::find(kAccessModes, text);
    if (mode == kAccessModes.end()) fail_unknown(value, "access mode", {kAccessModes.begin(), kAccessModes.end()});
    return static_cast<AccessMode>(mode - kAccessModes.begin());
  }

  /// Truth before estimates, everywhere: what has no estimate takes the truth as it is when the first one is set.
  Costs read_costs(const TaskGraph& graph, const Platform& platform) {
    Costs costs(graph, platform.class_count());
    for (const TypeId type : graph.types()) read_actual(types_json_[index(type)], costs, Costs::row(type));
    for (const TaskId task : graph.tasks()) {
      const Json json = tasks_json_[index(task)];
      if (find(json, "seconds") || find(json, "estimates")) read_actual(json, costs, costs.own_row(task));
    }
    for (const TypeId type : graph.types()) read_estimates(types_json_[index(type)], costs, Costs::row(type));
    for (const TaskId task : graph.tasks()) read_estimates(tasks_json_[index(task)], costs, costs.row(task));
    return costs;
  }

  void read_actual(Json owner, Costs& costs, std::uint32_t row) {
    const auto seconds = find(owner, "seconds");
    if (!seconds) return;
    read_durations(*seconds, classes_, durations_);
    for (const ClassId c : ids<ClassId>(durations_.size())) costs.set_actual(row, c, durations_[index(c)]);
  }

  void read_estimates(Json owner, Costs& costs, std::uint32_t row) {
    const auto estimates = find(owner, "estimates");
    if (!estimates) return;
    read_durations(*estimates, classes_, durations_);
    for (const Json member : *estimates) {
      const ClassId c = classes_.resolve_key(member);
      if (costs.actual_row(row)[index(c)] == kCannotRun) member.fail("is for a class that 'seconds' does not name");
      costs.set_estimate(row, c, durations_[index(c)]);
    }
  }

  Json root_;
  std::string_view source_;
  NameTable<ClassId> classes_{"class"};
  NameTable<TypeId> types_{"type"};
  NameTable<DataId> data_{"datum"};
  NameTable<TaskId> tasks_{"task"};
  NameTable<ContextId> context_names_{"context"};
  Contexts contexts_;
  std::vector<Json> types_json_;
  std::vector<Json> tasks_json_;
  TaskGraphBuilder builder_;
  std::vector<Access> accesses_;  ///< of the task being read
  std::vector<Time> durations_;   ///< by class, of the row being read
};

}  // namespace

Instance read_instance(std::string_view text, std::string_view source) {
  const JsonDocument document(text, source);
  return InstanceReader(document.root(), source).read();
}

}  // namespace heddle::io
