#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

struct TypeFacts {
  std::size_t tasks = 0;
  Table<ClassId, std::pair<Time, Time>> range;  ///< least and most actual duration; empty range: never runs there
};

struct Facts {
  std::size_t sources = 0;
  std::size_t sinks = 0;
  std::size_t levels = 0;  ///< tasks on the longest chain
  std::size_t width = 0;   ///< most tasks on one level
  std::int64_t bytes = 0;
  std::vector<TypeFacts> types;
  Table<ClassId, Time> work;                ///< of the tasks that the class can run
  Table<ClassId, std::size_t> unavailable;  ///< tasks that it cannot
  Time critical_path = 0;
};

void count_levels(const TaskGraph& graph, Facts& facts) {
  Table<TaskId, std::size_t> level(graph.task_count(), 0);
  std::vector<std::size_t> width;
  for (const TaskId task : graph.topological_order()) {
    for (const TaskId before : graph.predecessors(task)) level[task] = std::max(level[task], level[before] + 1);
    if (level[task] >= width.size()) width.resize(level[task] + 1);
    ++width[level[task]];
    facts.sources += graph.predecessors(task).empty() ? 1 : 0;
    facts.sinks += graph.successors(task).empty() ? 1 : 0;
  }
  facts.levels = width.size();
  facts.width = width.empty() ? 0 : std::ranges::max(width);
}

void add_durations(const Instance& instance, Facts& facts) {
  const std::size_t classes = instance.platform.class_count();
  facts.types.assign(instance.graph.type_count(),
                     {0, Table<ClassId, std::pair<Time, Time>>(classes, {kCannotRun, -1})});
  facts.work.assign(classes, 0);
  facts.unavailable.assign(classes, 0);
  for (const TaskId task : instance.graph.tasks()) {
    TypeFacts& type = facts.types[index(instance.graph.type(task))];
    ++type.tasks;
    for (const ClassId c : instance.platform.classes()) {
      const Time duration = instance.costs.actual(task, c);
      if (duration == kCannotRun) {
        ++facts.unavailable[c];
        continue;
      }
      facts.work[c] += duration;
      auto& [least, most] = type.range[c];
      least = std::min(least, duration);
      most = std::max(most, duration);
    }
  }
}

Facts gather(const Instance& instance) {
  Facts facts;
  count_levels(instance.graph, facts);
  add_durations(instance, facts);
  for (const Datum& datum : instance.graph.data()) facts.bytes += datum.bytes;
  facts.critical_path = critical_path(instance).length;
  return facts;
}

/// CPU duration over GPU duration where there are two classes and the type's durations are one each.
std::optional<double> acceleration(const Instance& instance, const TypeFacts& type) {
  if (instance.platform.class_count() != 2) return std::nullopt;
  const auto [cpu, cpu_most] = type.range[make_id<ClassId>(0)];
  const auto [gpu, gpu_most] = type.range[make_id<ClassId>(1)];
  if (cpu != cpu_most || gpu != gpu_most || gpu <= 0 || cpu_most < 0) return std::nullopt;
  return static_cast<double>(cpu) / static_cast<double>(gpu);
}

/// The unit that suits most durations: the one in the middle, of those that types have on classes.
report::TimeFormat usual_unit(const Facts& facts) {
  std::vector<Time> durations;
  for (const TypeFacts& type : facts.types) {
    for (const auto& [least, most] : type.range) {
      if (most > 0) durations.push_back(most);
    }
  }
  if (durations.empty()) return report::TimeFormat(0);
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return report::TimeFormat(*middle);
}

std::string format_range(std::pair<Time, Time> range, const report::TimeFormat& time) {
  const auto [least, most] = range;
  if (most < 0) return "-";
  return least == most ? time(least) : time(least) + ".." + time(most);
}

/// Types are listed with most tasks first; what exceeds a screen is summed up.
void print_types(const Instance& instance, const Facts& facts, const report::TimeFormat& time) {
  constexpr std::size_t kShown = 24;
  std::vector<TypeId> order;
  for (const TypeId type : instance.graph.types()) {
    if (facts.types[index(type)].tasks > 0) order.push_back(type);
  }
  if (order.size() > kShown) {
    std::ranges::stable_sort(order, std::ranges::greater(), [&](TypeId t) { return facts.types[index(t)].tasks; });
  }
  std::vector<report::Column> columns{{"type", report::Align::left, true}, {"tasks", report::Align::right}};
  for (const ClassId c : instance.platform.classes()) {
    columns.push_back({instance.platform.class_name(c), report::Align::right});
  }
  if (instance.platform.class_count() == 2) columns.push_back({"acceleration", report::Align::right});
  report::TextTable table(std::move(columns));
  for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i) {
    const TypeFacts& type = facts.types[index(order[i])];
    std::vector<std::string> cells{std::string(instance.graph.type_name(order[i])),
                                   report::format_count(static_cast<std::int64_t>(type.tasks))};
    for (const ClassId c : instance.platform.classes()) cells.push_back(format_range(type.range[c], time));
    const std::optional<double> factor = acceleration(instance, type);
    if (instance.platform.class_count() == 2) cells.push_back(factor ? fmt::format("{:.2f}", *factor) : "-");
    table.add_row(std::move(cells));
  }
  fmt::print("{}", table.text(terminal_style()));
  if (order.size() > kShown) fmt::print("... and {} more types\n", order.size() - kShown);
}

void print(const files::LoadedInstance& loaded, const Facts& facts) {
  const Instance& instance = loaded.instance;
  const report::TimeFormat time = usual_unit(facts);
  const auto count = [](std::size_t n) { return report::format_count(static_cast<std::int64_t>(n)); };
  fmt::print("{}\n\n", describe_instance(instance, loaded.platform));
  fmt::print("tasks          {}\nedges          {}\nsources, sinks {}, {}\nlevels         {}\nwidth          {}\n",
             count(instance.graph.task_count()), count(instance.graph.edge_count()), count(facts.sources),
             count(facts.sinks), count(facts.levels), count(facts.width));
  fmt::print("critical path  {}\n", time(facts.critical_path));
  for (const ClassId c : instance.platform.classes()) {
    fmt::print("work on {:<6} {}", report::harmless(instance.platform.class_name(c)), time(facts.work[c]));
    if (facts.unavailable[c] > 0)
      fmt::print(", {} cannot run there", report::format_count(facts.unavailable[c], "task"));
    fmt::print("\n");
  }
  if (instance.graph.data_count() > 0) {
    fmt::print("data           {} in {}\n", report::format_bytes(facts.bytes),
               report::format_count(instance.graph.data_count(), "piece"));
  }
  if (instance.costs.estimates_differ()) fmt::print("estimates differ from actual durations\n");
  fmt::print("\n");
  print_types(instance, facts, time);
}

nlohmann::ordered_json type_json(const Instance& instance, TypeId id, const TypeFacts& type) {
  auto seconds = nlohmann::ordered_json::object();
  for (const ClassId c : instance.platform.classes()) {
    const auto [least, most] = type.range[c];
    if (most < 0) continue;
    seconds[instance.platform.class_name(c)] = {{"min", json_seconds(least)}, {"max", json_seconds(most)}};
  }
  const std::optional<double> factor = acceleration(instance, type);
  return {{"name", instance.graph.type_name(id)},
          {"tasks", type.tasks},
          {"seconds", std::move(seconds)},
          {"acceleration", factor ? nlohmann::ordered_json(*factor) : nlohmann::ordered_json()}};
}

nlohmann::ordered_json to_json(const files::LoadedInstance& loaded, const Facts& facts) {
  const Instance& instance = loaded.instance;
  auto classes = nlohmann::ordered_json::array();
  for (const ClassId c : instance.platform.classes()) {
    classes.push_back({{"name", instance.platform.class_name(c)},
                       {"workers", instance.platform.worker_count(c)},
                       {"work", json_seconds(facts.work[c])},
                       {"unavailable", facts.unavailable[c]}});
  }
  auto types = nlohmann::ordered_json::array();
  for (const TypeId type : instance.graph.types()) types.push_back(type_json(instance, type, facts.types[index(type)]));
  nlohmann::ordered_json record = json_record(instance.name, loaded.platform);
  record.update({{"tasks", instance.graph.task_count()},
                 {"edges", instance.graph.edge_count()},
                 {"sources", facts.sources},
                 {"sinks", facts.sinks},
                 {"levels", facts.levels},
                 {"width", facts.width},
                 {"critical_path", json_seconds(facts.critical_path)},
                 {"data", {{"count", instance.graph.data_count()}, {"bytes", facts.bytes}}},
                 {"estimates_differ", instance.costs.estimates_differ()},
                 {"classes", std::move(classes)},
                 {"types", std::move(types)}});
  return record;
}

}  // namespace

int inspect(const InspectOptions& options) {
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  const Facts facts = gather(loaded.instance);
  if (options.json) {
    print_json(to_json(loaded, facts));
  } else {
    print(loaded, facts);
  }
  return 0;
}

}  // namespace heddle::cli
