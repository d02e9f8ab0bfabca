#include "heddle/cli/bound_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

/// "cpu and gpu", and no more than the first few of very many.
std::string join_classes(const Instance& instance, const std::vector<ClassId>& classes) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (const ClassId c : classes) {
    if (names.size() == kShown) break;
    names.push_back(instance.platform.class_name(c));
  }
  if (classes.size() > kShown) {
    names.push_back(report::format_count(static_cast<std::int64_t>(classes.size() - kShown)) + " more");
  }
  return fmt::format("{}", fmt::join(names, " and "));
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
  return text + fmt::format(" ({})", report::format_count(path.size(), "task"));
}

/// "gpu from 6.172 ms on until 12.30 ms before the end (first of 7 windows)"
std::string describe_windows(const Instance& instance, const std::vector<bounds::ClassWindow>& windows,
                             const report::TimeFormat& time) {
  const bounds::ClassWindow& first = windows.front();
  std::string text = instance.platform.class_name(first.on);
  if (first.head > 0) text += fmt::format(" from {} on", time(first.head));
  if (first.tail > 0) text += fmt::format(" until {} before the end", time(first.tail));
  if (windows.size() > 1) text += fmt::format(" (first of {} windows)", windows.size());
  return text;
}

/// What keeps the bound from being smaller.
std::string explain(const Instance& instance, const bounds::Bound& bound, const report::TimeFormat& time) {
  std::vector<std::string> parts;
  if (!bound.full_classes.empty()) parts.push_back("all workers of " + join_classes(instance, bound.full_classes));
  if (!bound.windows.empty()) parts.push_back(describe_windows(instance, bound.windows, time));
  if (!bound.path.empty()) parts.push_back("path " + describe_path(instance, bound.path));
  if (!bound.exact) parts.emplace_back(bound.out_of_time ? "time ran out" : "the solver's precision ran out");
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// Nothing when that cannot be said.
std::optional<Instance> with_one_more(const Instance& instance, ClassId c) {
  try {
    return bounds::with_one_more(instance, c);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The classes of which one more worker is asked for: all, unless there are very many. Then the first that bind: one
/// more of the others that have workers would not lower the bound.
std::vector<ClassId> classes_to_add_to(const Instance& instance, const bounds::Bound& bound) {
  constexpr std::size_t kMost = 64;
  const auto all = instance.platform.classes();
  if (instance.platform.class_count() <= kMost) return {all.begin(), all.end()};
  std::vector<ClassId> binding = bound.full_classes;
  for (const bounds::ClassWindow& window : bound.windows) binding.push_back(window.on);
  std::ranges::sort(binding);
  const auto [repeated, end] = std::ranges::unique(binding);
  binding.erase(repeated, end);
  if (binding.size() > kMost) binding.resize(kMost);
  return binding;
}

/// The bound's kind computed again for one more worker of such a class; without those that are not exact, or for
/// which the machine would be more than can be said: a worker past the million, a class that opens and takes too long,
/// a memory that has another name then.
std::vector<BoundAnswer::Further> one_more_of_classes(const Instance& instance, const bounds::Bounds& bounds,
                                                      const Countdown& countdown, const std::function<bool()>& stop) {
  std::vector<BoundAnswer::Further> result;
  if (!bounds.best_kind()) return result;
  const std::array kinds{*bounds.best_kind()};
  for (const ClassId c : classes_to_add_to(instance, *bounds[kinds[0]])) {
    const std::optional<Instance> larger = with_one_more(instance, c);
    if (!larger) continue;
    const bounds::Bounds further = compute_bounds(*larger, kinds, countdown.left(), stop);
    const auto& bound = further[kinds[0]];
    // The bounds are good to a tolerance: a worker more never makes the optimum longer.
    if (bound && bound->exact) result.push_back({c, std::min(bound->value, bounds.best())});
  }
  return result;
}

/// "one more gpu: 1.234 s, -8.1 %"
std::string one_more_text(const Instance& instance, Time bound, const std::vector<BoundAnswer::Further>& one_more,
                          const report::TimeFormat& time) {
  std::string text = one_more.empty() ? "" : "\n";
  for (const BoundAnswer::Further& further : one_more) {
    const double change = bound > 0 ? to_seconds(further.value) / to_seconds(bound) - 1 : 0;
    text += fmt::format("one more {}: {}, {}\n", report::harmless(instance.platform.class_name(further.on)),
                        time(further.value), report::format_percent(change));
  }
  return text;
}

/// Every kind but one is always defined.
std::string_view explain_none(std::span<const bounds::Kind> kinds) {
  if (kinds.empty()) return "no bound was asked for";
  return "mixed is not defined here: no type with two tasks or more has all its tasks on one path";
}

/// What binds the best bound, whole; null when there is none.
Json json_binding(const Instance& instance, const bounds::Bounds& bounds) {
  if (!bounds.best_kind()) return {};
  const bounds::Bound& bound = *bounds[*bounds.best_kind()];
  Json classes = Json::array();
  for (const ClassId c : bound.full_classes) classes.push_back(instance.platform.class_name(c));
  Json windows = Json::array();
  for (const bounds::ClassWindow& window : bound.windows) {
    windows.push_back({{"class", instance.platform.class_name(window.on)},
                       {"head", json_seconds(window.head)},
                       {"tail", json_seconds(window.tail)}});
  }
  Json path = Json::array();
  for (const TaskId task : bound.path) path.push_back(instance.graph.name(task));
  return {{"kind", bounds::to_string(*bounds.best_kind())},
          {"classes", std::move(classes)},
          {"windows", std::move(windows)},
          {"path", std::move(path)}};
}

Json json_one_more(const Instance& instance, const std::vector<BoundAnswer::Further>& one_more) {
  Json result = Json::object();
  for (const BoundAnswer::Further& further : one_more) {
    result[instance.platform.class_name(further.on)] = json_seconds(further.value);
  }
  return result;
}

}  // namespace

BoundAnswer answer_bound(const files::LoadedInstance& loaded, const std::string& kind, std::optional<double> limit,
                         const std::function<bool()>& stop) {
  BoundAnswer answer{.loaded = loaded, .kinds = bounds::parse_kinds(kind, loaded.instance)};
  const Countdown countdown(limit);
  answer.bounds = compute_bounds(loaded.instance, answer.kinds, limit, stop);
  answer.seconds = countdown.elapsed();
  answer.one_more = one_more_of_classes(loaded.instance, answer.bounds, countdown, stop);
  return answer;
}

std::string bound_text(const BoundAnswer& answer, const report::TextStyle& style) {
  const Instance& instance = answer.loaded.instance;
  const bounds::Bounds& bounds = answer.bounds;
  const std::string head = fmt::format("{}, {}\n\n", describe_instance(instance, answer.loaded.platform),
                                       report::format_count(instance.graph.task_count(), "task"));
  if (!bounds.best_kind()) return head + fmt::format("{}\n", explain_none(answer.kinds));
  const report::TimeFormat time(bounds.best());
  report::TextTable table({{"bound", report::Align::left},
                           {"makespan at least", report::Align::right},
                           {"what binds", report::Align::left, true}});
  for (const bounds::Kind kind : bounds::kAllKinds) {
    const auto& bound = bounds[kind];
    if (!bound) continue;
    table.add_row({std::string(bounds::to_string(kind)), time(bound->value), explain(instance, *bound, time)},
                  bounds.best_kind() == kind ? report::Tone::good : report::Tone::plain);
  }
  return head + table.text(style) + one_more_text(instance, bounds.best(), answer.one_more, time);
}

Json json_bound(const BoundAnswer& answer) {
  const Instance& instance = answer.loaded.instance;
  Json record = json_record(instance.name, answer.loaded.platform);
  record.update({{"bounds", json_bounds(judge::bound_lines(answer.bounds))},
                 {"best", answer.bounds.best_kind() ? json_seconds(answer.bounds.best()) : Json()},
                 {"binding", json_binding(instance, answer.bounds)},
                 {"one_more", json_one_more(instance, answer.one_more)},
                 {"wall_seconds", answer.seconds}});
  return record;
}

}  // namespace heddle::cli
