// Instances inside logs. Unlike instance files they keep all that a policy can see: numbers, the order of rows, which
// dependencies there are whatever the accesses imply.
#include <algorithm>
#include <utility>

#include "heddle/facts/format.hpp"
#include "heddle/io/access_modes.hpp"
#include "heddle/io/contexts_json.hpp"
#include "heddle/io/machine_json.hpp"

namespace heddle::facts {
namespace {

using io::append;
using io::Buffer;
using io::Json;

/// `[`, the items with commas between them, `]`.
template <class Items, class AppendItem>
void append_array(Buffer& out, const Items& items, AppendItem append_item) {
  out.push_back('[');
  bool is_first = true;
  for (const auto& item : items) {
    if (!std::exchange(is_first, false)) append(out, ", ");
    append_item(item);
  }
  out.push_back(']');
}

void append_row(Buffer& out, std::span<const Time> row) {
  append_array(out, row, [&](Time time) { append(out, time == kCannotRun ? "null" : format_seconds(time)); });
}

template <class RowOf>
void append_rows(Buffer& out, std::string_view key, std::size_t count, RowOf row_of) {
  fmt::format_to(fmt::appender(out), ",\n      \"{}\": ", key);
  io::Block block(out, 8);
  for (std::uint32_t row = 0; row < count; ++row) {
    block.next();
    append_row(out, row_of(row));
  }
  block.close();
}

void append_data(Buffer& out, const TaskGraph& graph) {
  append(out, ",\n      \"data\": ");
  io::Block block(out, 8);
  for (const Datum& datum : graph.data()) {
    block.next();
    fmt::format_to(fmt::appender(out), R"({{"bytes": {}, "home": )", datum.bytes);
    io::append_quoted(out, datum.home);
    if (!datum.name.empty()) {
      append(out, R"(, "name": )");
      io::append_quoted(out, datum.name);
    }
    append(out, datum.write_back ? R"(, "write_back": true})" : "}");
  }
  block.close();
}

void append_task(Buffer& out, const Instance& instance, TaskId task) {
  const TaskGraph& graph = instance.graph;
  fmt::format_to(fmt::appender(out), R"({{"type": {})", index(graph.type(task)));
  const std::uint32_t row = instance.costs.row(task);
  if (row != Costs::row(graph.type(task))) fmt::format_to(fmt::appender(out), R"(, "row": {})", row);
  if (!graph.name(task).empty()) {
    append(out, R"(, "name": )");
    io::append_quoted(out, graph.name(task));
  }
  if (graph.priority(task) != 0) fmt::format_to(fmt::appender(out), R"(, "priority": {})", graph.priority(task));
  if (!instance.contexts.empty()) {
    fmt::format_to(fmt::appender(out), R"(, "context": {})", index(instance.contexts.of[task]));
  }
  if (!graph.accesses(task).empty()) {
    append(out, R"(, "access": )");
    append_array(out, graph.accesses(task), [&](Access access) {
      fmt::format_to(fmt::appender(out), R"([{}, "{}"])", index(access.data),
                     io::kAccessModes[static_cast<std::size_t>(access.mode)]);
    });
  }
  if (!graph.predecessors(task).empty()) {
    append(out, R"(, "after": )");
    append_array(out, graph.predecessors(task),
                 [&](TaskId before) { fmt::format_to(fmt::appender(out), "{}", index(before)); });
  }
  out.push_back('}');
}

class InstanceReader {
 public:
  explicit InstanceReader(Json root) : root_(root) {}

  Instance read() {
    io::expect_object(root_, "an instance",
                      {"name", "platform", "types", "rows", "estimates", "data", "contexts", "tasks", "order"});
    const Json machine = io::require(root_, "platform", "an object with classes of workers");
    io::expect_object(machine, "an object with classes of workers", {"classes", "links", "buses"});
    Platform platform = io::read_machine(machine, classes_);
    // Views of it look for routes.
    io::with_place(machine, [&] { return Routes(platform); });
    for (const Json type : list("types")) parts_.types.emplace_back(io::read_string(type, "the name of a type"));
    for (const Json datum : list("data")) read_datum(datum);
    io::NameTable<ContextId> names("context");
    if (const auto contexts = io::find(root_, "contexts")) {
      contexts_.all = io::read_contexts(*contexts, platform, names);
    }
    const std::vector<Json> tasks = list("tasks");
    for (const Json task : tasks) read_task(task, tasks.size());
    if (parts_.accesses.empty()) parts_.access_begin.clear();
    if (std::ranges::all_of(parts_.names, &std::string::empty)) parts_.names.clear();
    if (std::ranges::all_of(parts_.priority, [](std::int64_t hint) { return hint == 0; })) parts_.priority.clear();
    read_order(tasks.size());
    TaskGraph graph = TaskGraph::assemble(std::move(parts_));
    Costs costs = read_costs(graph);
    const auto name = io::find(root_, "name");
    std::string title = name ? std::string(io::read_string(*name, "the name of the instance")) : "";
    return io::with_place(root_, [&] {
      Instance instance = make_instance(std::move(title), std::move(graph), std::move(platform), std::move(costs));
      return with_contexts(std::move(instance), std::move(contexts_));
    });
  }

 private:
  /// The items of an array, which may be left out.
  std::vector<Json> list(std::string_view key) {
    const auto array = io::find(root_, key);
    if (!array) return {};
    io::expect_array(*array, "an array of " + std::string(key));
    std::vector<Json> items;
    for (const Json item : *array) items.push_back(item);
    return items;
  }

  template <StrongId Id>
  static Id read_number(Json value, std::size_t count, std::string_view noun) {
    return make_id<Id>(io::read_index(value, count, noun));
  }

  void read_datum(Json value) {
    io::expect_object(value, "a datum", {"bytes", "home", "name", "write_back"});
    Datum datum;
    datum.bytes = io::read_integer(io::require(value, "bytes", "its size"), "a whole number of bytes", 0);
    datum.home = io::read_string(io::require(value, "home", "a memory"), "the name of a memory");
    if (const auto name = io::find(value, "name")) datum.name = io::read_string(*name, "its name");
    if (const auto write_back = io::find(value, "write_back")) datum.write_back = io::read_boolean(*write_back);
    parts_.data.push_back(std::move(datum));
  }

  void read_task(Json value, std::size_t count) {
    io::expect_object(value, "a task", {"type", "row", "name", "priority", "context", "access", "after"});
    if (parts_.type.empty()) parts_.predecessor_begin.push_back(0), parts_.access_begin.push_back(0);
    parts_.type.push_back(read_number<TypeId>(io::require(value, "type", "its type"), parts_.types.size(), "type"));
    const auto name = io::find(value, "name");
    parts_.names.emplace_back(name ? io::read_string(*name, "its name") : "");
    const auto hint = io::find(value, "priority");
    parts_.priority.push_back(hint ? io::read_integer(*hint, "a whole number of 64 bits") : 0);
    if (!contexts_.empty()) {
      const Json context = io::require(value, "context", "the number of a context");
      contexts_.of.push_back(read_number<ContextId>(context, contexts_.all.size(), "context"));
    }
    read_accesses(value);
    read_predecessors(value, count);
    rows_.push_back(io::find(value, "row"));
  }

  void read_accesses(Json task) {
    if (const auto accesses = io::find(task, "access")) {
      io::expect_array(*accesses, "an array of pairs of datum and mode");
      const std::size_t first = parts_.accesses.size();
      for (const Json pair : *accesses) {
        if (pair.kind() != io::JsonKind::array || pair.size() != 2) pair.fail_expected("a pair of datum and mode");
        const auto data = read_number<DataId>(*pair.begin(), parts_.data.size(), "datum");
        const auto own = std::span(parts_.accesses).subspan(first);
        if (std::ranges::find(own, data, &Access::data) != own.end()) pair.fail("is a second access to one datum");
        const Json mode = *++pair.begin();
        const auto known = std::ranges::find(io::kAccessModes, io::read_string(mode, "an access mode"));
        if (known == io::kAccessModes.end()) mode.fail_expected("one of r, w, rw, commute, reduce");
        parts_.accesses.push_back({data, static_cast<AccessMode>(known - io::kAccessModes.begin())});
      }
    }
    parts_.access_begin.push_back(static_cast<std::uint32_t>(parts_.accesses.size()));
  }

  void read_predecessors(Json task, std::size_t count) {
    if (const auto after = io::find(task, "after")) {
      io::expect_array(*after, "an array of tasks");
      const std::size_t first = parts_.predecessors.size();
      for (const Json value : *after) {
        const auto before = read_number<TaskId>(value, count, "task");
        if (parts_.predecessors.size() > first && parts_.predecessors.back() >= before) {
          value.fail("is not behind the one before it; expected ascending numbers");
        }
        parts_.predecessors.push_back(before);
      }
    }
    parts_.predecessor_begin.push_back(static_cast<std::uint32_t>(parts_.predecessors.size()));
  }

  /// A topological order; that of the numbers when there is none.
  void read_order(std::size_t count) {
    if (count == 0) parts_.predecessor_begin.assign(1, 0);
    std::vector<std::size_t> place(count, count);
    for (const Json value : list("order")) {
      const auto task = read_number<TaskId>(value, count, "task");
      if (place[index(task)] != count) value.fail("is in the order twice");
      place[index(task)] = parts_.order.size();
      parts_.order.push_back(task);
    }
    if (!parts_.order.empty() && parts_.order.size() < count) root_.fail("has an order that lacks tasks");
    for (std::size_t task = 0; task < count; ++task) {
      if (parts_.order.empty()) place[task] = task;
    }
    for (std::size_t task = 0; task < count; ++task) {
      for (std::uint32_t i = parts_.predecessor_begin[task]; i < parts_.predecessor_begin[task + 1]; ++i) {
        if (place[index(parts_.predecessors[i])] < place[task]) continue;
        root_.fail("has a task " + std::to_string(task) + " that is in the order before one that it waits for");
      }
    }
  }

  /// The rows of the types come first, then those of tasks that have one for themselves, each its own.
  Costs read_costs(const TaskGraph& graph) {
    Costs costs(graph, classes_.size());
    const std::vector<Json> rows = list("rows");
    std::vector<TaskId> owner(rows.size(), kNone<TaskId>);
    for (const TaskId task : graph.tasks()) {
      const auto& row = rows_[index(task)];
      if (!row) continue;
      const std::size_t number = io::read_index(*row, rows.size(), "row");
      if (number < graph.type_count() || owner[number] != kNone<TaskId>)
        row->fail("is the row of a type or of another task");
      owner[number] = task;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (row < graph.type_count()) continue;
      if (owner[row] == kNone<TaskId>) rows[row].fail("is the row of no task");
      static_cast<void>(costs.own_row(owner[row]));
    }
    if (rows.size() < graph.type_count()) root_.fail("has fewer rows than types");
    const auto set_actual = [&](std::uint32_t row, ClassId c, Time time) { costs.set_actual(row, c, time); };
    const auto set_estimate = [&](std::uint32_t row, ClassId c, Time time) { costs.set_estimate(row, c, time); };
    read_rows(rows, set_actual);
    const std::vector<Json> estimates = list("estimates");
    if (!estimates.empty() && estimates.size() != rows.size()) root_.fail("has estimates for other rows than it has");
    read_rows(estimates, set_estimate);
    for (std::uint32_t row = 0; row < costs.row_count(); ++row) {
      for (const ClassId c : ids<ClassId>(classes_.size())) {
        const bool runs = costs.actual_row(row)[index(c)] != kCannotRun;
        if (runs && costs.estimate_row(row)[index(c)] == kCannotRun) rows[row].fail("has no estimate for some class");
      }
    }
    return costs;
  }

  template <class Set>
  void read_rows(const std::vector<Json>& rows, Set set) {
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      io::expect_array(rows[row], "an array of seconds by class");
      if (rows[row].size() != classes_.size()) rows[row].fail("has not an entry for each class");
      std::size_t c = 0;
      for (const Json time : rows[row]) {
        const bool runs = time.kind() != io::JsonKind::null;
        set(row, make_id<ClassId>(c++), runs ? io::read_duration(time) : kCannotRun);
      }
    }
  }

  Json root_;
  io::NameTable<ClassId> classes_{"class"};
  TaskGraph::Parts parts_;
  Contexts contexts_;
  std::vector<std::optional<Json>> rows_;  ///< by task, of those that have one for themselves
};

}  // namespace

void append_instance(Buffer& out, const Instance& instance) {
  const TaskGraph& graph = instance.graph;
  const Costs& costs = instance.costs;
  append(out, R"({"name": )");
  io::append_quoted(out, instance.name);
  append(out, ",\n      \"platform\": {\n");
  std::vector<ResourceClass> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.platform.resource_class(c));
  io::append_machine(out, 8, classes, instance.platform.links(), instance.platform.buses());
  append(out, "\n      },\n      \"types\": ");
  append_array(out, graph.types(), [&](TypeId type) { io::append_quoted(out, graph.type_name(type)); });
  append_rows(out, "rows", costs.row_count(), [&](std::uint32_t row) { return costs.actual_row(row); });
  if (costs.estimates_differ()) {
    append_rows(out, "estimates", costs.row_count(), [&](std::uint32_t row) { return costs.estimate_row(row); });
  }
  if (graph.data_count() > 0) append_data(out, graph);
  if (!instance.contexts.empty()) {
    append(out, ",\n      ");
    io::append_contexts(out, instance.platform, instance.contexts.all);
  }
  append(out, ",\n      \"tasks\": ");
  io::Block block(out, 8);
  for (const TaskId task : graph.tasks()) {
    block.next();
    append_task(out, instance, task);
  }
  block.close();
  if (!std::ranges::equal(graph.topological_order(), graph.tasks())) {
    append(out, ",\n      \"order\": ");
    append_array(out, graph.topological_order(),
                 [&](TaskId task) { fmt::format_to(fmt::appender(out), "{}", index(task)); });
  }
  out.push_back('}');
}

Instance read_instance(Json value) {
  return InstanceReader(value).read();
}

}  // namespace heddle::facts
