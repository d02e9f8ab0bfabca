#include "heddle/policy/contexts.hpp"

#include <memory>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/composition.hpp"

namespace heddle::policy {
namespace {

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

}  // namespace

Policy make_contexts(const Setup& setup, std::function<Policy(ContextId context, Policy policy)> wrap) {
  const auto plan = setup.plan == nullptr ? nullptr : std::make_shared<const Schedule>(*setup.plan);
  return Composition([plan, seed = setup.seed, wrap = std::move(wrap)](const Instance& whole, ContextId id,
                                                                       const ContextPart& part) -> Composition::Made {
    const Context& context = whole.contexts.all[id];
    const Spec spec(context.policy);
    const Needs needs = spec.needs(part.tasks.instance);
    const Schedule own = needs.plan && plan ? own_plan(*plan, context.name, part) : Schedule();
    Policy policy = spec.make(seed, needs.plan && plan ? &own : nullptr);
    Composition::Made made{wrap ? wrap(id, std::move(policy)) : std::move(policy)};
    if (needs.lookahead) made.stand_in = Spec("eager").make(seed);
    return made;
  });
}

Entry contexts() {
  return {.name = "contexts",
          .summary =
              "Several policies side by side: each decides on the tasks and workers of one scheduling context of the "
              "instance",
          .publication = "Gazolla 2017, section 2.3; StarPU's scheduling contexts",
          .complexity = "what its policies take, and O(w) for each of their calls",
          .options = {},
          .needs = [](const Options&) { return Needs{.contexts = true}; },
          .make = [](const Setup& setup) { return make_contexts(setup); }};
}

}  // namespace heddle::policy
