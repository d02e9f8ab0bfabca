#include "heddle/runtime/scheduling/policy_maker.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heddle/facts/recorder.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/contexts.hpp"

namespace heddle::runtime {
namespace {

/// Whether its workers are of more than one class; a class may have none.
bool is_heterogeneous(const Platform& platform) {
  return std::ranges::any_of(platform.classes(), [&](ClassId c) {
    const std::uint32_t workers = platform.worker_count(c);
    return workers > 0 && workers < platform.worker_count();
  });
}

/// Whether a policy of the registry aborts tasks on such workers.
bool aborts_on(const policy::Needs& needs, const Platform& platform) {
  return needs.abort && is_heterogeneous(platform);
}

/// A rule takes time to decide, during which no other worker gets a task.
constexpr int kRulePause = 1000;  // microseconds

host::Aborts allowed_if(bool aborts) {
  return aborts ? host::Aborts::allowed : host::Aborts::none;
}

/// What policies are chosen for: no task is known yet.
Instance machine_of(const Platform& platform, const Table<ContextId, Context>& contexts = {}) {
  return {"the runtime", TaskGraph(), platform, Costs(TaskGraph(), platform.class_count()), {contexts, {}}};
}

}  // namespace

PolicyMaker::PolicyMaker(const Config& config, const Platform& platform)
    : spec_(config.policy),
      decider_(config.decider),
      looks_ahead_(decider_.has_value()),
      aborts_(allowed_if(decider_.has_value())),
      resize_(config.resize),
      seed_(config.seed),
      facts_path_(config.facts),
      plan_maker_(config.plan) {
  if (!decider_) {
    check(spec_, machine_of(platform));
    decide_by(spec_, {});
    aborts_ = allowed_if(aborts_on(spec_.needs(), platform));
  }
  static_cast<void>(contexts_spec());
  if (!facts_path_.empty()) facts_ = std::make_shared<facts::Log>(facts_path_, text());
}

/// Throws InputError when there is no such rule.
policy::Spec PolicyMaker::contexts_spec() const {
  if (resize_.empty()) return policy::Spec("contexts");
  const std::vector<std::string> names = policy::resize_rule_names();
  if (std::ranges::find(names, resize_) == names.end()) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    throw InputError("Config::resize is '" + resize_ + "', which is not a rule for contexts; expected one of " + all);
  }
  return policy::Spec("contexts:resize=" + resize_ + ",pause=" + std::to_string(kRulePause));
}

/// That of the specification, which also counts that it moves workers.
std::optional<policy::ResizeRule> PolicyMaker::rule() const {
  std::optional<policy::ResizeRule> rule = policy::resize_rule_of(spec_.options());
  if (!rule) return rule;
  rule->moves = [moves = std::move(rule->moves), count = resizings_](const policy::Situation& now) {
    std::vector<policy::Move> all = moves(now);
    if (!all.empty()) ++*count;
    return all;
  };
  return rule;
}

void PolicyMaker::check(const policy::Spec& spec, const Instance& machine) const {
  const std::string objection = spec.objection(machine, {.whole_graph = false, .rounds = true, .adopts_moves = true});
  if (!objection.empty()) throw InputError(objection);
  if (spec.needs(machine.contexts.all).plan && !plan_maker_) {
    throw InputError("policy '" + spec.text() + "' follows a schedule, and Config::plan makes none");
  }
}

void PolicyMaker::decide_by(const policy::Spec& spec, const Table<ContextId, Context>& contexts) {
  const policy::Needs needs = spec.needs(contexts);
  spec_ = spec;
  looks_ahead_ = needs.lookahead;
  plan_ = needs.plan ? plan_maker_ : nullptr;
}

void PolicyMaker::check_contexts(const JobContexts& contexts, const Platform& platform) const {
  if (decider_) throw InputError("Config::decider decides on all tasks, but contexts have policies of their own");
  check(contexts_spec(), machine_of(platform, contexts.all()));
}

void PolicyMaker::set_contexts(const JobContexts& contexts, const Platform& platform) {
  failures_ = std::make_shared<ContextFailures>(contexts.all().size());
  change_contexts(contexts, platform);
  if (!facts_) return;
  facts_ = nullptr;  // which names another policy
  facts_ = std::make_shared<facts::Log>(facts_path_, text());
}

void PolicyMaker::change_contexts(const JobContexts& contexts, const Platform& platform) {
  decide_by(contexts_spec(), contexts.all());
  failures_->grow(contexts.all().size());
  aborting_.clear();
  for (const Context& context : contexts.all()) {
    const policy::Spec own(context.policy);
    aborting_.push_back(aborts_on(own.needs(), resizes() ? platform : platform.restricted(context.workers)));
  }
  aborts_ = allowed_if(std::ranges::find(aborting_, true) != aborting_.end());
}

policy::Policy PolicyMaker::operator()(const Instance& instance) {
  const std::uint64_t seed = seed_ + made_++;
  if (facts_ && decider_) return facts::Recorder(*decider_, facts_, {seed});
  if (decider_) return *decider_;
  const Schedule plan = plan_ ? plan_(instance) : Schedule();
  if (!facts_) return make(seed, plan);
  if (!failures_) return facts::make_watched(spec_, seed, &plan, facts_);
  facts::Origin origin{.seed = seed};
  if (!plan.attempts.empty()) origin.plan = plan;
  return facts::Recorder(make(seed, plan), facts_, origin);
}

policy::Policy PolicyMaker::make(std::uint64_t seed, const Schedule& plan) const {
  if (!failures_) return spec_.make(seed, &plan);
  const auto guarded = [failures = failures_](ContextId context, policy::Policy policy) -> policy::Policy {
    // One that has thrown is not started again: any policy will do to give the tasks that are left, which the engine
    // drops then, and in what others simulate.
    if (failures->of(context)) return policy::Spec("eager").make(0);
    return GuardedPolicy(context, std::move(policy), failures);
  };
  return policy::make_contexts({spec_.options(), seed, &plan}, guarded, rule());
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
