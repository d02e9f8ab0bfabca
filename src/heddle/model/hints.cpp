#include "heddle/model/hints.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle {
namespace {

Hint parse_hint(std::string_view owner, std::string_view text, std::string_view expected) {
  const std::size_t at = text.find('@');
  const std::string_view left = text.substr(0, at);
  const std::size_t colon = left.find(':');
  Hint hint{std::string(left.substr(0, colon)), at < text.size() ? std::string(text.substr(at + 1)) : "", 0};
  std::optional<std::uint64_t> tiles = 0;
  if (colon < left.size()) tiles = parse_count(left.substr(colon + 1));
  if (hint.type.empty() || hint.class_name.empty() || !tiles || *tiles > kMaxIds) {
    throw InputError(std::string(owner) + ": hint '" + std::string(text) + "'; expected " + std::string(expected));
  }
  hint.tiles = static_cast<std::uint32_t>(*tiles);
  return hint;
}

/// Whether a type has the name, by number.
std::vector<bool> find_types(const TaskGraph& graph, const std::string& name) {
  std::vector<bool> named;
  std::vector<std::string> names;
  for (const TypeId type : graph.types()) {
    named.push_back(graph.type_name(type) == name);
    names.emplace_back(graph.type_name(type));
  }
  if (std::ranges::find(named, true) != named.end()) return named;
  throw InputError("a hint names type '" + name + "', which no task has" + suggest(name, names));
}

ClassId find_class(const Platform& platform, const std::string& name) {
  if (const auto c = platform.find_class(name)) return *c;
  std::vector<std::string> names;
  for (const ClassId c : platform.classes()) names.push_back(platform.class_name(c));
  throw InputError("a hint names class '" + name + "', which the platform does not have" + suggest(name, names));
}

/// The difference between row and column in "TRSM(9,2)" or "GEMM(5,3,1)".
std::int64_t distance_from_diagonal(std::string_view name) {
  std::int64_t tile[2] = {0, 0};
  const char* const end = name.data() + name.size();
  const char* next = name.data() + std::min(name.find('('), name.size());
  for (std::int64_t& number : tile) {
    const auto read =
        next == end ? std::from_chars_result{end, std::errc::invalid_argument} : std::from_chars(next + 1, end, number);
    if (read.ec != std::errc()) {
      throw InputError("a hint counts tiles from the diagonal, but task '" + std::string(name) +
                       "' does not say which tile it updates; expected a name like TRSM(9,2)");
    }
    next = read.ptr;
  }
  return std::abs(tile[0] - tile[1]);
}

void forbid(const Instance& instance, Costs& costs, std::uint32_t row, ClassId except) {
  const bool differ = costs.estimates_differ();
  for (const ClassId c : instance.platform.classes()) {
    if (c == except) continue;
    costs.set_actual(row, c, kCannotRun);
    if (differ) costs.set_estimate(row, c, kCannotRun);
  }
}

}  // namespace

std::vector<Hint> parse_hints(std::string_view owner, std::string_view text, std::string_view expected) {
  std::vector<Hint> hints;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    hints.push_back(parse_hint(owner, text.substr(begin, end - begin), expected));
    begin = end + 1;
  }
  return hints;
}

std::vector<TaskId> hinted_tasks(const TaskGraph& graph, const Hint& hint) {
  const std::vector<bool> named = find_types(graph, hint.type);
  std::vector<TaskId> tasks;
  for (const TaskId task : graph.tasks()) {
    if (!named[index(graph.type(task))]) continue;
    if (hint.tiles == 0 || distance_from_diagonal(graph.name(task)) >= hint.tiles) tasks.push_back(task);
  }
  return tasks;
}

Table<TaskId, ClassId> hinted_classes(const Instance& instance, std::span<const Hint> hints) {
  const TaskGraph& graph = instance.graph;
  Table<TaskId, ClassId> classes(graph.task_count(), kNone<ClassId>);
  for (const Hint& hint : hints) {
    const std::vector<TaskId> tasks = hinted_tasks(graph, hint);
    const ClassId c = find_class(instance.platform, hint.class_name);
    for (const TaskId task : tasks) {
      if (!instance.costs.can_run(task, c)) {
        throw InputError("a hint sends task '" + std::string(graph.name(task)) + "' to class '" + hint.class_name +
                         "', which cannot run it");
      }
      classes[task] = c;
    }
  }
  return classes;
}

Instance with_hints(const Instance& instance, std::span<const Hint> hints) {
  const Table<TaskId, ClassId> classes = hinted_classes(instance, hints);
  // The row of a type is kept where all its tasks are sent to one class: tasks that share a row are alike to policies.
  Table<TypeId, ClassId> common(instance.graph.type_count(), kNone<ClassId>);
  std::vector<bool> seen(instance.graph.type_count(), false);
  for (const TaskId task : instance.graph.tasks()) {
    const TypeId type = instance.graph.type(task);
    if (!seen[index(type)]) common[type] = classes[task];
    if (common[type] != classes[task]) common[type] = kNone<ClassId>;
    seen[index(type)] = true;
  }
  Costs costs = instance.costs.reopened();
  for (const TypeId type : instance.graph.types()) {
    if (common[type] != kNone<ClassId>) forbid(instance, costs, Costs::row(type), common[type]);
  }
  for (const TaskId task : instance.graph.tasks()) {
    const TypeId type = instance.graph.type(task);
    const bool has_type_row = costs.row(task) == Costs::row(type);
    if (classes[task] == kNone<ClassId> || (has_type_row && common[type] != kNone<ClassId>)) continue;
    forbid(instance, costs, costs.own_row(task), classes[task]);
  }
  Instance changed = make_instance(instance.name, instance.graph, instance.platform, std::move(costs));
  return with_contexts(std::move(changed), instance.contexts);
}

Instance inflated(const Instance& instance, std::uint32_t percent) {
  __extension__ using Wide = __int128;
  const auto longer = [&](Time duration) {
    if (duration == kCannotRun) return duration;
    constexpr int kWhole = 100;
    const Wide sum = Wide{duration} + (Wide{duration} * percent + kWhole / 2) / kWhole;
    return static_cast<Time>(std::min<Wide>(sum, kCannotRun - 1));
  };
  Costs costs = instance.costs.reopened();
  const Costs before = costs;
  const bool differ = before.estimates_differ();
  for (std::uint32_t row = 0; row < before.row_count(); ++row) {
    for (const ClassId c : instance.platform.classes()) {
      if (index(c) + 1 == instance.platform.class_count()) continue;
      costs.set_actual(row, c, longer(before.actual_row(row)[index(c)]));
      if (differ) costs.set_estimate(row, c, longer(before.estimate_row(row)[index(c)]));
    }
  }
  Instance changed = make_instance(instance.name, instance.graph, instance.platform, std::move(costs));
  return with_contexts(std::move(changed), instance.contexts);
}

}  // namespace heddle
