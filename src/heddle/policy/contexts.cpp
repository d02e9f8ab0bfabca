#include "heddle/policy/contexts.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/checked_policy.hpp"
#include "heddle/policy/composition.hpp"

namespace heddle::policy {
namespace {

constexpr const char* kResize = "resize";
constexpr const char* kNever = "none";
constexpr const char* kPause = "pause";
constexpr std::uint64_t kLongestPause = 3'600'000'000;

/// What a plan for the whole instance says of a context's tasks, with the numbers that its policy sees.
Schedule own_plan(const Schedule& plan, const std::string& context, const ContextPart& part) {
  Schedule own;
  for (Attempt attempt : plan.attempts) {
    const TaskId task = part.tasks.here[attempt.task];
    if (task == kNone<TaskId>) continue;
    const WorkerId worker = part.here[attempt.worker];
    if (worker == kNone<WorkerId>) {
      throw InputError("the plan of context '" + context + "' puts task '" +
                       std::string(part.tasks.instance.graph.name(task)) + "' on a worker of another context");
    }
    attempt.task = task;
    attempt.worker = worker;
    own.attempts.push_back(attempt);
  }
  return own;
}

std::vector<std::string> resize_choices() {
  std::vector<std::string> choices = resize_rule_names();
  choices.insert(choices.begin(), kNever);
  return choices;
}

}  // namespace

std::optional<ResizeRule> resize_rule_of(const Options& options) {
  const std::string& name = options.text(kResize);
  if (name == kNever) return std::nullopt;
  ResizeRule rule = resize_rule(name);
  rule.pause = static_cast<Time>(options.integer(kPause)) * kMicrosecond;
  return rule;
}

Policy make_contexts(const Setup& setup, std::function<Policy(ContextId context, Policy policy)> wrap,
                     std::optional<ResizeRule> rule) {
  const auto plan = setup.plan == nullptr ? nullptr : std::make_shared<const Schedule>(*setup.plan);
  auto make = [plan, seed = setup.seed, wrap = std::move(wrap)](const Instance& whole, ContextId id,
                                                                const ContextPart& part) -> Composition::Made {
    const Context& context = whole.contexts.all[id];
    const Spec spec(context.policy);
    const Needs needs = spec.needs();
    const Schedule own = needs.plan && plan ? own_plan(*plan, context.name, part) : Schedule();
    Policy policy = spec.make(seed, needs.plan && plan ? &own : nullptr);
    // Who makes a mistake matters where that is not Heddle, and where others are to go on.
    if (wrap || !spec.entry().plugin.empty()) policy = CheckedPolicy(context.name, spec, std::move(policy));
    Composition::Made made{wrap ? wrap(id, std::move(policy)) : std::move(policy)};
    if (needs.lookahead) made.stand_in = Spec("eager").make(seed);
    return made;
  };
  return Composition(std::move(make), std::move(rule));
}

Entry contexts() {
  return {.name = "contexts",
          .summary =
              "Several policies side by side: each decides on the tasks and workers of one scheduling context of the "
              "instance",
          .publication = "Gazolla 2017, section 2.3; StarPU's scheduling contexts",
          .complexity = "what its policies take, and O(w) for each of their calls",
          .options = {choice(kResize, kNever, resize_choices(),
                             "The rule by which workers move between the contexts while they run."),
                      integer(kPause, "0", 0, kLongestPause,
                              "The least time between two times that the rule is asked, in microseconds.")},
          .needs =
              [](const Options& options) {
                const std::optional<ResizeRule> rule = resize_rule_of(options);
                return Needs{.lookahead = rule && rule->looks_ahead, .contexts = true, .moves = rule.has_value()};
              },
          .make = [](const Setup& setup) { return make_contexts(setup, {}, resize_rule_of(setup.options)); }};
}

}  // namespace heddle::policy
