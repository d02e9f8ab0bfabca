#include "tests/policy/random_contexts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "tests/policy/registered.hpp"

namespace heddle::test {
namespace {

std::vector<WorkerId> all_workers(const Platform& platform) {
  return {platform.workers().begin(), platform.workers().end()};
}

std::string random_policy(Random& random, const Instance& instance) {
  static const std::vector<std::string> specs = registered_specs();
  while (true) {
    const std::string& spec = specs[random() % specs.size()];
    if (policy::Spec(spec).objection(instance).empty()) return spec;
  }
}

/// Each worker is in one context, in two, or rarely in none.
Table<ContextId, Context> draw_contexts(Random& random, const Instance& instance) {
  const auto count = static_cast<std::size_t>(draw(random, 1, 4));
  const bool joint = draw(random, 0, 1) == 1;
  Table<ContextId, Context> contexts(count);
  for (const WorkerId worker : instance.platform.workers()) {
    if (draw(random, 0, 9) == 0) continue;
    const std::size_t first = random() % count;
    contexts[make_id<ContextId>(first)].workers.push_back(worker);
    const std::size_t second = random() % count;
    if (joint && second != first) contexts[make_id<ContextId>(second)].workers.push_back(worker);
  }
  for (const ContextId id : contexts.ids()) {
    contexts[id].name = "c" + std::to_string(index(id));
    contexts[id].policy = random_policy(random, instance);
  }
  return contexts;
}

/// One of the contexts that can run the task; kNone: there is none.
ContextId draw_context(Random& random, const Instance& instance, const Table<ContextId, Context>& contexts,
                       TaskId task) {
  std::vector<ContextId> possible;
  for (const ContextId id : contexts.ids()) {
    const auto runs = [&](WorkerId worker) { return instance.costs.can_run(task, instance.platform.class_of(worker)); };
    if (std::ranges::any_of(contexts[id].workers, runs)) possible.push_back(id);
  }
  return possible.empty() ? kNone<ContextId> : possible[random() % possible.size()];
}

}  // namespace

Instance with_one_context(Instance instance, const std::string& policy) {
  Contexts contexts;
  contexts.all.push_back({"all", all_workers(instance.platform), policy});
  contexts.of.assign(instance.graph.task_count(), ContextId{0});
  return with_contexts(std::move(instance), std::move(contexts));
}

Instance with_random_contexts(Random& random, Instance instance) {
  for (int tries = 0; tries < 20; ++tries) {
    Contexts contexts{draw_contexts(random, instance), {}};
    const auto lacks_workers = [](const Context& context) { return context.workers.empty(); };
    if (std::ranges::any_of(contexts.all, lacks_workers)) continue;
    bool each_has_one = true;
    for (const TaskId task : instance.graph.tasks()) {
      contexts.of.push_back(draw_context(random, instance, contexts.all, task));
      each_has_one = each_has_one && contexts.of[task] != kNone<ContextId>;
    }
    if (each_has_one) return with_contexts(std::move(instance), std::move(contexts));
  }
  std::string policy = random_policy(random, instance);
  return with_one_context(std::move(instance), policy);
}

std::string describe_contexts(const Instance& instance) {
  std::string text;
  for (const Context& context : instance.contexts.all) text += context.name + ":" + context.policy + " ";
  return text;
}

host::Aborts aborts_of(int round) {
  constexpr host::Aborts kAll[] = {host::Aborts::allowed, host::Aborts::hold_back, host::Aborts::none};
  return kAll[round % 3];
}

sim::Config config_of(int round) {
  sim::Config config{.noise = sim::Noise(round % 4 == 2 ? "uniform:0.5" : "none"), .seed = 5};
  config.ahead = static_cast<std::uint32_t>(round % 4);
  config.aborts = aborts_of(round / 4);
  return config;
}

void expect_own_workers(const Instance& instance, const Schedule& schedule) {
  for (const Attempt& attempt : schedule.attempts) {
    const Context& context = instance.contexts.all[instance.contexts.of[attempt.task]];
    EXPECT_TRUE(std::ranges::binary_search(context.workers, attempt.worker))
        << "task " << index(attempt.task) << " of " << context.name << " is on worker " << index(attempt.worker);
  }
}

}  // namespace heddle::test
