#include "heddle/bounds/bounds.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/bounds/grid.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::bounds {
namespace {

constexpr std::array<std::string_view, kKindCount> kNames{"critical-path", "area", "mixed", "iterative", "window"};

/// `bounds` are those of the kinds before.
std::optional<Bound> bound_of(const Instance& instance, Kind kind, const Options& options, const Bounds& bounds) {
  switch (kind) {
    case Kind::critical_path:
      return critical_path_bound(instance);
    case Kind::area:
      return area_bound(instance);
    case Kind::mixed:
      return mixed_bound(instance, options);
    case Kind::iterative:
      return iterative_bound(instance, options);
    case Kind::window:
      return bounds[Kind::iterative] ? window_bound(instance, options, *bounds[Kind::iterative])
                                     : window_bound(instance, options);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Kind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Kind> parse_kind(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return kAllKinds[static_cast<std::size_t>(found - kNames.begin())];
}

Bound critical_path_bound(const Instance& instance) {
  CriticalPath path = critical_path(instance);
  Bound bound;
  bound.value = path.length;
  bound.use.assign(instance.platform.class_count(), 0.0);
  for (const TaskId task : instance.graph.tasks()) {
    const auto durations = instance.costs.actual_row(task);
    const auto fastest = std::ranges::min_element(durations);
    bound.use[make_id<ClassId>(static_cast<std::size_t>(fastest - durations.begin()))] += static_cast<double>(*fastest);
  }
  bound.path = std::move(path.tasks);
  return bound;
}

std::optional<Kind> Bounds::best_kind() const {
  std::optional<Kind> best;
  for (const Kind kind : kAllKinds) {
    if ((*this)[kind] && (!best || (*this)[kind]->value > (*this)[*best]->value)) best = kind;
  }
  return best;
}

Time Bounds::best() const {
  const auto kind = best_kind();
  return kind ? (*this)[*kind]->value : 0;
}

Bounds compute(const Instance& instance, std::span<const Kind> kinds, const Options& options) {
  const Countdown countdown(options.seconds, options.stop);
  const Time grid = duration_grid(instance);
  Bounds bounds;
  for (const Kind kind : kAllKinds) {
    if (std::ranges::find(kinds, kind) == kinds.end()) continue;
    auto bound = bound_of(instance, kind,
                          {.seconds = countdown.left(), .tolerance = options.tolerance, .stop = options.stop}, bounds);
    if (!bound) continue;
    bound->value = round_up(bound->value, grid);
    if (options.found) options.found(kind, *bound);
    bounds.set(kind, std::move(*bound));
  }
  return bounds;
}

Instance with_one_more(const Instance& instance, ClassId c) {
  std::vector<ResourceClass> classes;
  for (const ClassId each : instance.platform.classes()) classes.push_back(instance.platform.resource_class(each));
  ++classes[index(c)].workers;
  return make_instance(instance.name, instance.graph, Platform(std::move(classes)), instance.costs.reopened());
}

std::span<const Kind> default_kinds(const Instance& instance) {
  const Platform& platform = instance.platform;
  const auto classes =
      std::ranges::count_if(platform.classes(), [&](ClassId c) { return platform.worker_count(c) > 0; });
  const std::size_t most = classes <= 2 ? kWindowTasks : kWindowTasksOfManyClasses;
  const std::span<const Kind> all(kAllKinds);
  return instance.graph.task_count() <= most ? all : all.first(kKindCount - 1);
}

std::vector<Kind> parse_kinds(std::string_view text, const Instance& instance) {
  if (text == "none") return {};
  if (text == "all") return {kAllKinds.begin(), kAllKinds.end()};
  if (text == "default") {
    const std::span<const Kind> kinds = default_kinds(instance);
    return {kinds.begin(), kinds.end()};
  }
  if (const auto kind = parse_kind(text)) return {*kind};
  std::vector<std::string> possible{"default", "all", "none"};
  for (const Kind kind : kAllKinds) possible.emplace_back(to_string(kind));
  throw InputError("there is no bound '" + std::string(text) + "'" + suggest(text, possible));
}

}  // namespace heddle::bounds
