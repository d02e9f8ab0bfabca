#include "heddle/experiment/measures.hpp"

#include <array>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::experiment {
namespace {

Values measure_schedule(const Cell& cell) {
  return summary(run_policy(cell, make_instance(cell)));
}

Values measure_bound(const Cell& cell) {
  constexpr std::array kKinds{bounds::Kind::iterative};
  return {{"bound", to_seconds(bounds::compute(make_instance(cell), kKinds).best())}};
}

}  // namespace

Instance make_instance(const Cell& cell) {
  return workload::generate(cell.workload, platforms::resolve(cell.platform));
}

Schedule run_policy(const Cell& cell, const Instance& instance, const Schedule* plan) {
  const sim::Config config{.noise = sim::Noise(cell.noise), .seed = cell.seed};
  Schedule schedule = sim::simulate(instance, policy::Spec(cell.policy), config, plan);
  const auto violations = validate(instance, schedule, config.noise.none() ? Durations::exact : Durations::free);
  if (!violations.empty()) throw InternalError(cell.key() + ": the schedule is not valid: " + violations.front());
  return schedule;
}

Values summary(const Schedule& schedule) {
  return {{"makespan", to_seconds(schedule.makespan())}, {"aborted", static_cast<double>(schedule.aborted_attempts())}};
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

std::string with(std::string_view name, std::size_t value) {
  return std::string(name) + "=" + std::to_string(value);
}

}  // namespace heddle::experiment
