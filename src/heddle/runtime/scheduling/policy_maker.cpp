#include "heddle/runtime/scheduling/policy_maker.hpp"

#include <algorithm>

#include "heddle/facts/recorder.hpp"
#include "heddle/model/error.hpp"

namespace heddle::runtime {
namespace {

/// Whether its workers are of more than one class; a class may have none.
bool is_heterogeneous(const Platform& platform) {
  return std::ranges::any_of(platform.classes(), [&](ClassId c) {
    const std::uint32_t workers = platform.worker_count(c);
    return workers > 0 && workers < platform.worker_count();
  });
}

/// Of a policy of the registry.
host::Aborts aborts_of(const policy::Spec& spec, const Platform& platform) {
  const bool aborts = spec.entry().needs(spec.options()).abort && is_heterogeneous(platform);
  return aborts ? host::Aborts::allowed : host::Aborts::none;
}

}  // namespace

PolicyMaker::PolicyMaker(const Config& config, const Platform& platform)
    : spec_(config.policy),
      decider_(config.decider),
      looks_ahead_(decider_ || spec_.entry().needs(spec_.options()).lookahead),
      aborts_(decider_ ? host::Aborts::allowed : aborts_of(spec_, platform)),
      seed_(config.seed),
      facts_(config.facts.empty() ? nullptr : std::make_shared<facts::Log>(config.facts, text())),
      plan_(!decider_ && spec_.entry().needs(spec_.options()).plan ? config.plan : nullptr) {
  if (decider_) return;
  const std::string objection =
      spec_.objection({"the runtime", TaskGraph(), platform, Costs(TaskGraph(), platform.class_count())},
                      {.whole_graph = false, .rounds = true});
  if (!objection.empty()) throw InputError(objection);
  if (spec_.entry().needs(spec_.options()).plan && !plan_) {
    throw InputError("policy '" + spec_.text() + "' follows a schedule, and Config::plan makes none");
  }
}

policy::Policy PolicyMaker::operator()(const Instance& instance) {
  const std::uint64_t seed = seed_ + made_++;
  if (facts_ && decider_) return facts::Recorder(*decider_, facts_, {seed});
  if (decider_) return *decider_;
  const Schedule plan = plan_ ? plan_(instance) : Schedule();
  return facts_ ? facts::make_watched(spec_, seed, &plan, facts_) : spec_.make(seed, &plan);
}

const std::string& PolicyMaker::planned_name(std::uint64_t number, const std::string& name) {
  std::string& planned = planned_names_[number];
  if (planned.empty()) planned = unique_names_(name);
  return planned;
}

void PolicyMaker::finish_facts() {
  if (facts_) facts_->finish();
}

}  // namespace heddle::runtime
