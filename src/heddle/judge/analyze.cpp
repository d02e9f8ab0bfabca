#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/judge/diagnosis.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/judge/what_if.hpp"
#include "heddle/model/error.hpp"

namespace heddle::judge {
namespace {

std::optional<Time> known_bound(const Instance& instance) {
  Time best = bounds::compute(instance, bounds::default_kinds(instance)).best();
  if (const std::optional<LinkedBound> linked = linked_bound(instance)) best = std::max(best, linked->value);
  return best > 0 ? std::optional(best) : std::nullopt;
}

std::vector<LostTime> lost_times(const Instance& instance, const Diagnosis& diagnosis) {
  std::vector<LostTime> lost;
  const auto add = [&](std::string_view cause, ClassId c, TimeSum time, double cost) {
    // Less than a picosecond is what rounding leaves.
    if (time > 0 || std::abs(cost) >= 1) lost.push_back({std::string(cause), c, time, cost});
  };
  for (const ClassId c : instance.platform.classes()) {
    for (const analysis::Cause cause : analysis::kLosses) {
      add(to_string(cause), c, diagnosis.losses.by_class()[c][cause], diagnosis.costs.of(diagnosis.losses, c, cause));
    }
    add("unfavourable", c, 0, diagnosis.costs.unfavourable[c]);
  }
  std::ranges::stable_sort(lost, std::ranges::greater(), &LostTime::cost);
  return lost;
}

Analysis analyze(const Instance& instance, const Schedule& schedule, const analysis::Recording& recording,
                 const AnalyzeOptions& options) {
  Analysis found{.makespan = schedule.makespan(), .bound = known_bound(instance)};
  const Diagnosis diagnosis = diagnose(instance, schedule, found.bound, recording);
  found.verdict = diagnosis.verdict;
  found.losses = lost_times(instance, diagnosis);
  for (const analysis::ChainLink& link : diagnosis.chain) {
    found.chain.push_back({link.attempt, std::string(to_string(link.wait)), link.waited, link.for_data});
  }
  if (options.attempts == 0) return found;
  found.what_if =
      what_if(instance, schedule, diagnosis, recording, {.attempts = options.attempts, .stop = options.stop});
  const std::string helps = advice(found.what_if);
  if (!helps.empty()) found.verdict += (found.verdict.empty() ? "" : " ") + helps;
  return found;
}

}  // namespace

Analysis analyze(const Instance& instance, const Schedule& schedule, const AnalyzeOptions& options) {
  const std::vector<std::string> broken = validate(instance, schedule, Durations::free);
  if (!broken.empty()) throw InputError("the schedule of '" + instance.name + "' is not valid: " + broken.front());
  return analyze(instance, schedule, analysis::Recording(), options);
}

Analysis analyze(const files::LoadedRun& run, const AnalyzeOptions& options) {
  return analyze(run.loaded.instance, run.schedule, {.has_transfers = run.has_transfers, .submitted = run.submitted},
                 options);
}

}  // namespace heddle::judge
