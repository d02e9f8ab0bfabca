#include "heddle/experiment/measures.hpp"

#include <array>
#include <utility>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::experiment {
namespace {

Values measure_schedule(const Cell& cell) {
  const Instance instance = make_instance(cell);
  return summary(instance, run_policy(cell, instance));
}

Values measure_bound(const Cell& cell) {
  constexpr std::array kKinds{bounds::Kind::iterative};
  const Instance instance = make_instance(cell);
  const bounds::Bounds bounds = bounds::compute(instance, kKinds);
  Values values{{"bound", to_seconds(bounds.best())}};
  for (const ClassId c : instance.platform.classes()) {
    const double picoseconds = bounds[bounds::Kind::iterative]->use[c];
    values.emplace("use " + instance.platform.class_name(c), picoseconds / static_cast<double>(kSecond));
  }
  return values;
}

}  // namespace

Instance make_instance(const Cell& cell) {
  return workload::generate(cell.workload, platforms::resolve(cell.platform));
}

Schedule run_policy(const Cell& cell, const Instance& instance, const Schedule* plan, host::Aborts aborts) {
  const sim::Config config{.noise = sim::Noise(cell.noise), .seed = cell.seed, .aborts = aborts};
  Schedule schedule = sim::simulate(instance, policy::Spec(cell.policy), config, plan);
  const auto violations = validate(instance, schedule, config.noise.none() ? Durations::exact : Durations::free);
  if (!violations.empty()) throw InternalError(cell.key() + ": the schedule is not valid: " + violations.front());
  return schedule;
}

Values summary(const Instance& instance, const Schedule& schedule) {
  Values values{{"makespan", to_seconds(schedule.makespan())},
                {"aborted", static_cast<double>(schedule.aborted_attempts())},
                {"transferred", static_cast<double>(transferred_bytes(schedule))}};
  const auto use = class_use(instance, schedule);
  for (const ClassId c : instance.platform.classes()) {
    const std::string& name = instance.platform.class_name(c);
    values.emplace("idle " + name, to_seconds(use[c].idle));
    if (use[c].acceleration) values.emplace("acceleration " + name, *use[c].acceleration);
  }
  return values;
}

Cell schedule_cell(std::string workload, std::string platform, std::string policy, std::string noise,
                   std::uint64_t seed) {
  return {.measure = {"schedule", measure_schedule},
          .workload = std::move(workload),
          .platform = std::move(platform),
          .policy = std::move(policy),
          .noise = std::move(noise),
          .seed = seed};
}

Cell bound_cell(std::string workload, std::string platform) {
  return {.measure = {"bound", measure_bound}, .workload = std::move(workload), .platform = std::move(platform)};
}

double ratio_to_bound(const Results& results, const Cell& schedule) {
  return results.value(schedule, "makespan") / results.value(bound_cell(schedule.workload, schedule.platform), "bound");
}

std::optional<double> normalized_idle(const Results& results, const Cell& schedule, const std::string& class_name) {
  const double use = results.value(bound_cell(schedule.workload, schedule.platform), "use " + class_name);
  if (use <= 0) return std::nullopt;
  return results.value(schedule, "idle " + class_name) / use;
}

}  // namespace heddle::experiment
