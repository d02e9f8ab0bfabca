#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/judge.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

/// "2s", "500ms" or "2" (seconds).
double parse_seconds(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const bool known = unit.empty() || unit == "s" || unit == "ms";
  if (error != std::errc() || !known || !(value > 0)) {
    throw InputError("--time is '" + text + "'; expected a duration such as 2s or 500ms");
  }
  return unit == "ms" ? value / 1000 : value;
}

std::string join_classes(const Instance& instance, const std::vector<ClassId>& classes) {
  std::string text;
  for (const ClassId c : classes) text += (text.empty() ? "" : " and ") + instance.platform.class_name(c);
  return text;
}

/// "p0 -> t1 -> ... -> s9 (37 tasks)"
std::string describe_path(const Instance& instance, const std::vector<TaskId>& path) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool cut = path.size() > 2 * kShown && i >= kShown - 1 && i + 1 < path.size();
    if (cut && i > kShown - 1) continue;
    text += text.empty() ? "" : " -> ";
    text += cut ? "..." : std::string(instance.graph.name(path[i]));
  }
  return text + fmt::format(" ({} tasks)", path.size());
}

/// What keeps the bound from being smaller.
std::string explain(const Instance& instance, const bounds::Bound& bound) {
  std::string text;
  if (!bound.full_classes.empty()) text = "all workers of " + join_classes(instance, bound.full_classes);
  if (!bound.path.empty()) text += (text.empty() ? "path " : "; path ") + describe_path(instance, bound.path);
  if (!bound.exact) text += text.empty() ? "time ran out" : "; time ran out";
  return text;
}

void print(const Loaded& loaded, const bounds::Bounds& bounds) {
  const Instance& instance = loaded.instance;
  fmt::print("{} on {} ({}), {} tasks\n\n", instance.name, loaded.platform, describe_workers(instance.platform),
             report::format_count(static_cast<std::int64_t>(instance.graph.task_count())));
  report::TextTable table({{"bound", report::Align::left},
                           {"makespan at least", report::Align::right},
                           {"what binds", report::Align::left, true}});
  for (const bounds::Kind kind : bounds::kAllKinds) {
    const auto& bound = bounds[kind];
    if (!bound) continue;
    table.add_row({std::string(bounds::to_string(kind)), report::format_time(bound->value), explain(instance, *bound)},
                  bounds.best_kind() == kind ? report::Tone::good : report::Tone::plain);
  }
  fmt::print("{}", table.text(terminal_style()));
}

}  // namespace

int bound(const BoundOptions& options) {
  bounds::Options limits;
  if (!options.time.empty()) limits.seconds = parse_seconds(options.time);
  const Loaded loaded = load_instance(options.instance, options.input);
  const auto kinds = parse_kinds(options.kind, loaded.instance.graph.task_count());
  const auto start = std::chrono::steady_clock::now();
  const bounds::Bounds bounds = bounds::compute(loaded.instance, kinds, limits);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.json) {
    print_json({{"instance", loaded.instance.name},
                {"bounds", json_bounds(bound_lines(bounds))},
                {"best", json_seconds(bounds.best())},
                {"wall_seconds", seconds}});
  } else {
    print(loaded, bounds);
  }
  return 0;
}

}  // namespace heddle::cli
