#include "heddle/policy/contexts.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/composition.hpp"

namespace heddle::policy {
namespace {

constexpr const char* kResize = "resize";
constexpr const char* kNever = "none";

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

std::optional<ResizeRule> rule_of(const Options& options) {
  const std::string& name = options.text(kResize);
  return name == kNever ? std::nullopt : std::optional(resize_rule(name));
}

std::vector<std::string> resize_choices() {
  std::vector<std::string> choices = resize_rule_names();
  choices.insert(choices.begin(), kNever);
  return choices;
}

}  // namespace

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
                             "The rule by which workers move between the contexts while they run.")},
          .needs =
              [](const Options& options) {
                const std::optional<ResizeRule> rule = rule_of(options);
                return Needs{.lookahead = rule && rule->looks_ahead, .contexts = true, .one_run = rule.has_value()};
              },
          .make = [](const Setup& setup) { return make_contexts(setup, {}, rule_of(setup.options)); }};
}

}  // namespace heddle::policy
