#include "heddle/judge/judge.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "heddle/facts/log.hpp"
#include "heddle/facts/recorder.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::judge {
namespace {

/// Steps until the end; the seconds it took.
double step_through(sim::Simulation& simulation, const std::function<void(std::size_t)>& watch) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kStepsPerUpdate = 1024;
  const Clock::time_point start = Clock::now();
  for (std::size_t steps = 0; !simulation.finished(); ++steps) {
    if (watch && steps % kStepsPerUpdate == 0) watch(simulation.completed_tasks());
    simulation.step();
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The noise a schedule says it was made under; none where its remark is another program's.
sim::Noise stated_noise(const Schedule& schedule) {
  try {
    return sim::Noise(schedule.noise);
  } catch (const InputError&) {
    return {};
  }
}

/// Durations under noise can be drawn again: whether every attempt lasted what its draw says.
void check_drawn_durations(const Instance& instance, const Schedule& schedule, const sim::Noise& noise,
                           std::vector<std::string>& violations) {
  const auto drawn = noise.durations(instance, schedule.seed);
  std::vector<Attempt> attempts = schedule.attempts;
  std::ranges::sort(attempts, {},
                    [](const Attempt& a) { return std::tuple(a.start, a.end, a.outcome != Outcome::aborted); });
  Table<TaskId, std::uint32_t> count(instance.graph.task_count(), 0);
  for (const Attempt& attempt : attempts) {
    const ClassId c = instance.platform.class_of(attempt.worker);
    const std::uint32_t number = count[attempt.task]++;
    if (!instance.costs.can_run(attempt.task, c)) continue;
    const Time expected = drawn(attempt.task, c, number);
    const Time lasted = attempt.end - attempt.start;
    const bool fits = attempt.outcome == Outcome::completed ? lasted == expected : lasted < expected || lasted == 0;
    if (fits) continue;
    violations.push_back("attempt " + std::to_string(number + 1) + " of task '" +
                         std::string(instance.graph.name(attempt.task)) + "' lasts " + format_seconds(lasted) +
                         " s; under noise " + noise.text() + " and this seed it takes " + format_seconds(expected) +
                         " s");
  }
}

}  // namespace

Candidate::Candidate(policy::Spec spec) : name_(spec.text()), spec_(std::move(spec)) {}

Candidate::Candidate(std::string name, policy::Policy policy) : name_(std::move(name)), policy_(std::move(policy)) {}

std::string Candidate::objection(const Instance& instance) const {
  return spec_ ? spec_->objection(instance) : "";
}

Candidate::Made Candidate::make(std::uint64_t seed, const Schedule* plan, const std::string& facts) const {
  if (facts.empty()) return {spec_ ? spec_->make(seed, plan) : *policy_};
  // A policy without a name cannot be made again from the log alone.
  const auto log = std::make_shared<facts::Log>(facts, spec_ ? spec_->text() : "");
  return {spec_ ? facts::make_watched(*spec_, seed, plan, log) : facts::Recorder(*policy_, log, {.seed = seed}),
          [log] { log->finish(); }};
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

Judged judge_schedule(const Instance& instance, Schedule schedule, const bounds::Bounds& bounds, Durations durations) {
  const std::vector<std::string> wrong = validate(instance, schedule, durations);
  if (!wrong.empty()) {
    throw InternalError("the schedule of " + schedule.policy + " is not valid: " + wrong.front());
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

Judged run(const Instance& instance, const Candidate& candidate, const bounds::Bounds& bounds,
           const RunOptions& options) {
  const std::string objection = candidate.objection(instance);
  if (!objection.empty()) throw InputError(objection);
  const policy::Spec* const spec = candidate.spec();
  Schedule loaded;
  const Schedule* plan = options.plan;
  if (plan == nullptr && spec != nullptr) {
    loaded = files::load_plan(*spec, instance);
    plan = &loaded;
  }
  sim::Config config = options.config;
  // For a policy that aborts nothing, there is nothing to look ahead to.
  if (spec != nullptr && !spec->needs(instance.contexts.all).abort) config.aborts = host::Aborts::allowed;
  Candidate::Made made = candidate.make(config.seed, plan, options.facts);
  sim::Simulation simulation(instance, std::move(made.policy), config);
  const auto go = [&] { return step_through(simulation, options.watch); };
  const double seconds = spec == nullptr ? go() : policy::blaming_plugin(*spec, go);
  if (made.finish) made.finish();
  const Durations durations = config.noise.none() ? Durations::exact : Durations::free;
  Schedule schedule = sim::make_schedule(simulation, candidate.name(), config);
  if (spec != nullptr && spec->needs().contexts) schedule.contexts = instance.contexts;
  Judged judged = judge_schedule(instance, std::move(schedule), bounds, durations);
  judged.wall_seconds = seconds;
  judged.note = simulation.note();
  return judged;
}

std::vector<std::string> violations(const Instance& instance, const Schedule& schedule) {
  const sim::Noise noise = stated_noise(schedule);
  std::vector<std::string> found = validate(instance, schedule, noise.none() ? Durations::exact : Durations::free);
  if (found.empty() && !noise.none()) check_drawn_durations(instance, schedule, noise, found);
  return found;
}

}  // namespace heddle::judge
