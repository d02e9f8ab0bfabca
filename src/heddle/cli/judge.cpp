#include "heddle/cli/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/facts/witness.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/model/validate.hpp"

namespace heddle::cli {
namespace {

/// Steps until the end; the seconds it took.
double run(sim::Simulation& simulation, const Instance& instance, const std::string& policy, bool shows_progress) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kStepsPerUpdate = 1024;
  Progress progress(policy + " on " + instance.name, instance.graph.task_count(), shows_progress);
  const Clock::time_point start = Clock::now();
  for (std::size_t steps = 0; !simulation.finished(); ++steps) {
    if (steps % kStepsPerUpdate == 0) progress.update(simulation.completed_tasks());
    simulation.step();
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::vector<bounds::Kind> parse_kinds(const std::string& text, const Instance& instance) {
  if (text == "none") return {};
  if (text == "all") return {bounds::kAllKinds.begin(), bounds::kAllKinds.end()};
  if (text == "default") {
    const auto kinds = bounds::default_kinds(instance);
    return {kinds.begin(), kinds.end()};
  }
  if (const auto kind = bounds::parse_kind(text)) return {*kind};
  std::vector<std::string> possible{"default", "all", "none"};
  for (const bounds::Kind kind : bounds::kAllKinds) possible.emplace_back(bounds::to_string(kind));
  throw InputError("there is no bound '" + text + "'" + suggest(text, possible));
}

bounds::Bounds compute_bounds(const Instance& instance, std::span<const bounds::Kind> kinds,
                              std::optional<double> seconds) {
  Progress progress("bounds", 1);
  const Countdown countdown(seconds);
  const auto stop = [&] {
    progress.show(countdown.part(), fmt::format("{:.0f} s", countdown.elapsed()));
    return is_interrupted();
  };
  return bounds::compute(instance, kinds, {.seconds = seconds, .stop = stop});
}

host::Aborts parse_aborts(const std::string& text) {
  if (text == "hold-back") return host::Aborts::hold_back;
  return text == "none" ? host::Aborts::none : host::Aborts::allowed;
}

std::vector<report::BoundLine> bound_lines(const bounds::Bounds& bounds) {
  std::vector<report::BoundLine> lines;
  for (const bounds::Kind kind : bounds::kAllKinds) {
    if (bounds[kind]) lines.push_back({std::string(bounds::to_string(kind)), bounds[kind]->value});
  }
  return lines;
}

const report::BoundLine* best_bound(const Judged& judged) {
  if (!judged.best_kind) return nullptr;
  const auto& lines = judged.report.bounds;
  const auto line = std::ranges::find(lines, bounds::to_string(*judged.best_kind), &report::BoundLine::kind);
  return line == lines.end() ? nullptr : &*line;
}

Judged judge(const Instance& instance, Schedule schedule, const bounds::Bounds& bounds, Durations durations) {
  const std::vector<std::string> violations = heddle::validate(instance, schedule, durations);
  if (!violations.empty()) {
    throw InternalError("the schedule of " + schedule.policy + " is not valid: " + violations.front());
  }
  Judged judged;
  judged.schedule = std::make_unique<Schedule>(std::move(schedule));
  judged.report = report::summarize(instance, *judged.schedule, bound_lines(bounds));
  judged.best_kind = bounds.best_kind();
  judged.normalized_idle.resize(instance.platform.class_count());
  if (judged.best_kind) {
    judged.normalized_idle = heddle::normalized_idle(judged.report.classes, bounds[*judged.best_kind]->use);
  }
  return judged;
}

Judged judge(const Instance& instance, const policy::Spec& spec, const sim::Config& wanted, const Schedule& plan,
             const bounds::Bounds& bounds, bool shows_progress, const std::string& facts) {
  const std::string objection = spec.objection(instance);
  if (!objection.empty()) throw InputError(objection);
  sim::Config config = wanted;
  // Otherwise nothing needs to be looked at.
  if (!spec.entry().needs(spec.options()).abort) config.aborts = host::Aborts::allowed;
  const auto log = facts.empty() ? nullptr : std::make_shared<facts::Log>(facts, spec.text());
  sim::Simulation simulation(
      instance, log ? facts::make_watched(spec, config.seed, &plan, log) : spec.make(config.seed, &plan), config);
  const double seconds = blaming_plugin(spec, [&] { return run(simulation, instance, spec.text(), shows_progress); });
  if (log) log->finish();
  const Durations durations = config.noise.none() ? Durations::exact : Durations::free;
  Judged judged = judge(instance, sim::make_schedule(simulation, spec.text(), config), bounds, durations);
  judged.wall_seconds = seconds;
  judged.note = simulation.note();
  return judged;
}

}  // namespace heddle::cli
