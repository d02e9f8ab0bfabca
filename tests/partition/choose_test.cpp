#include "heddle/partition/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heddle/model/contexts.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::partition {
namespace {

using test::draw;
using test::Random;

/// Independent tasks of four types on four cores and two GPUs: three that gain little on a GPU, and one that gains
/// much.
Instance mix(std::uint64_t seed, std::int64_t most_tasks) {
  Random random(seed);
  TaskGraphBuilder builder;
  std::vector<std::pair<Time, Time>> durations;
  std::vector<std::int64_t> left;
  for (int type = 0; type < 4; ++type) {
    builder.add_type("k" + std::to_string(type));
    const Time core = draw(random, 1000, 8000) * kMicrosecond;
    durations.emplace_back(core, type == 3 ? core / draw(random, 8, 30) : core * 10 / draw(random, 5, 40));
    left.push_back(draw(random, most_tasks / 4, most_tasks));
  }
  for (int i = 0; std::ranges::any_of(left, [](std::int64_t count) { return count > 0; }); ++i) {
    if (left[static_cast<std::size_t>(i % 4)]-- > 0) builder.add_task("t" + std::to_string(i), make_id<TypeId>(i % 4));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const TypeId type : graph.types()) {
    costs.set_actual(Costs::row(type), ClassId{0}, durations[index(type)].first);
    costs.set_actual(Costs::row(type), ClassId{1}, durations[index(type)].second);
  }
  return make_instance(
      "mix", std::move(graph),
      Platform({{"cpu", 4, "ram", std::nullopt, Watts{15, 3}}, {"gpu", 2, "ram", std::nullopt, Watts{250, 30}}}),
      std::move(costs));
}

/// The whole in contexts as chosen, valid, in seconds.
double run(const Instance& instance, const Contexts& contexts) {
  const Instance whole = with_contexts(instance, contexts);
  const Schedule schedule = sim::simulate(whole, policy::Spec("contexts"));
  EXPECT_TRUE(heddle::validate(whole, schedule).empty());
  return to_seconds(schedule.makespan());
}

double run(const Instance& instance, const Row& row) {
  return run(instance,
             assign_tasks(instance.graph, contexts_of(row.candidate, instance.platform, ""), row.estimate.tasks));
}

TEST(Choose, ByEstimateTakesTheLeastOne) {
  const Instance instance = mix(1, 200);
  const std::vector<Candidate> candidates = gazolla_2017(instance.platform);
  const Choice choice = choose(instance, candidates, {.method = Method::estimate});
  ASSERT_EQ(choice.rows.size(), candidates.size());
  const Means means = means_of(instance);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_EQ(choice.rows[i].estimate.total(), estimate(means, candidates[i]).total());
    EXPECT_GE(choice.rows[i].estimate.total(), choice.rows[choice.best].estimate.total());
    EXPECT_EQ(choice.rows[i].simulated.has_value(), i == choice.best);
  }
  EXPECT_GT(run(instance, choice.contexts), 0);
}

TEST(Choose, BySimulationIsNeverWorseThanWhatItSimulated) {
  for (std::uint64_t seed = 1; seed <= (test::kSanitized ? 4 : 20); ++seed) {
    const Instance instance = mix(seed, 120);
    const Options options{.policies = {"eager", "ws"}, .budget = seed % 2 == 0 ? 0.01 : 1};
    const Choice choice = choose(instance, all_partitions(instance.platform, 100).candidates, options);
    const double best = choice.rows[choice.best].simulated.value();
    bool has_whole = false;
    for (const Row& row : choice.rows) {
      EXPECT_LE(best, row.simulated.value_or(best)) << row.candidate.name;
      has_whole = has_whole || (row.simulated && row.candidate.parts.size() == 1);
    }
    EXPECT_TRUE(has_whole);
    // All tasks were in the sample: the whole takes as long as said.
    ASSERT_EQ(choice.sample, instance.graph.task_count());
    EXPECT_NEAR(run(instance, choice.contexts), best, 1e-9);
    EXPECT_EQ(choose(instance, all_partitions(instance.platform, 100).candidates, options).contexts, choice.contexts);
  }
}

TEST(Choose, AddsOneContextOfAllWorkers) {
  const Instance instance = mix(3, 50);
  const std::vector<Candidate> table = gazolla_2017(instance.platform);
  const Choice choice = choose(instance, {table[0], table[1]});
  ASSERT_EQ(choice.rows.size(), 3U);
  EXPECT_EQ(choice.rows.back().candidate.name, "whole");
  EXPECT_EQ(choice.best, 2U);
}

TEST(Choose, IsNearTheBestOfTheFifteen) {
  int near = 0;
  const int mixes = test::rounds(10);
  for (int i = 1; i <= mixes; ++i) {
    const Instance instance = mix(100 + static_cast<std::uint64_t>(i), 3000);
    const std::vector<Candidate> candidates = gazolla_2017(instance.platform);
    const Choice choice = choose(instance, candidates);
    const double budget = 0.01 * choice.rows[choice.best].estimate.total() / kEventSeconds;
    EXPECT_LE(static_cast<double>(choice.events), budget + 8000);
    const Choice published = choose(instance, candidates, {.method = Method::estimate});
    double least = kNever;
    for (const Row& row : published.rows) {
      if (row.estimate.run != kNever) least = std::min(least, run(instance, row));
    }
    near += run(instance, choice.contexts) <= 1.01 * least ? 1 : 0;
  }
  EXPECT_GE(10 * near, 9 * mixes);
}

TEST(Choose, SavesEnergyWhereAskedTo) {
  const Instance instance = mix(5, 100);
  const std::vector<Candidate> candidates = gazolla_2017(instance.platform);
  const auto best = [&](Objective objective) {
    const Choice choice = choose(instance, candidates, {.objective = objective, .budget = 1});
    return choice.rows[choice.best];
  };
  const Row fast = best(Objective::time);
  const Row frugal = best(Objective::energy);
  const Row both = best(Objective::product);
  EXPECT_LE(fast.simulated.value(), frugal.simulated.value());
  EXPECT_LE(frugal.joules.value(), fast.joules.value());
  EXPECT_LE(*both.simulated * both.joules.value(), *fast.simulated * *fast.joules);
  EXPECT_LE(*both.simulated * *both.joules, *frugal.simulated * *frugal.joules);
}

TEST(Choose, WithPoliciesByContextTellsWhatHappens) {
  Random random(12);
  for (int round = 0; round < test::rounds(300); ++round) {
    const Instance instance = test::random_instance(random, {.unrunnable = false});
    const Options options{.policies = {"eager", "heft", "random"}, .budget = 1e15};
    const Choice choice = choose(instance, all_partitions(instance.platform, 20).candidates, options);
    if (instance.costs.estimates_differ()) continue;
    EXPECT_NEAR(run(instance, choice.contexts), choice.rows[choice.best].simulated.value(), 1e-9);
  }
}

TEST(Choose, TriesOtherPoliciesInSingleContexts) {
  int helped = 0;
  for (std::uint64_t seed = 1; seed <= (test::kSanitized ? 6 : 30); ++seed) {
    const Instance instance = mix(seed, 30);
    const Options options{.policies = {"eager", "ws", "random"}, .budget = 1e15};
    const Choice choice = choose(instance, all_partitions(instance.platform, 20).candidates, options);
    const Candidate& best = choice.rows[choice.best].candidate;
    const auto differs = [&](const Part& part) { return part.policy != best.parts.front().policy; };
    helped += std::ranges::any_of(best.parts, differs) ? 1 : 0;
    EXPECT_NEAR(run(instance, choice.contexts), choice.rows[choice.best].simulated.value(), 1e-9);
  }
  if (!test::kSanitized) {
    EXPECT_GT(helped, 0);
  }
}

TEST(Choose, TakesGraphsWithDependenciesAndData) {
  Random random(11);
  int some = 0;
  for (int round = 0; round < test::rounds(200); ++round) {
    const Instance instance = test::random_instance(random, {.data = round % 2 == 0, .limited = false});
    const Partitions partitions = all_partitions(instance.platform, 40);
    for (const Method method : {Method::estimate, Method::simulate}) {
      const Choice choice = choose(instance, partitions.candidates, {.method = method});
      const Row& best = choice.rows[choice.best];
      const Instance whole = with_contexts(instance, choice.contexts);
      const Schedule schedule = sim::simulate(whole, policy::Spec("contexts"));
      EXPECT_TRUE(heddle::validate(whole, schedule).empty());
      some += best.candidate.parts.size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(some, 0);
}

/// Partitions and joint contexts, of independent tasks and of graphs, small enough for all tasks to be in the sample.
TEST(Choose, IsNeverWorseThanOneContextOrAnyCandidateTried) {
  Random random(17);
  std::size_t joint = 0;
  for (int round = 0; round < test::rounds(30); ++round) {
    const Instance instance = test::random_instance(
        random, {.max_tasks = 60, .max_workers = 3, .max_duration = 1'000'000'000, .unrunnable = false});
    Partitions found = all_partitions(instance.platform, 30);
    add_joint(instance.platform, 60, found);
    const Choice choice = choose(instance, found.candidates, {.policies = {"eager", "ws"}, .budget = 1e3});
    const Row& best = choice.rows[choice.best];
    ASSERT_TRUE(best.simulated);
    for (const Row& row : choice.rows) {
      if (!row.simulated) continue;
      EXPECT_LE(*best.simulated, *row.simulated) << row.candidate.name;
      const auto is_shared = [&](ClassId c) { return row.candidate.shared(c) > 0; };
      joint += std::ranges::any_of(instance.platform.classes(), is_shared) ? 1 : 0;
    }
    // What was said is what the run takes.
    EXPECT_NEAR(run(instance, choice.contexts), *best.simulated, 1e-9);
    for (const char* policy : {"eager", "ws"}) {
      Table<ContextId, Context> whole;
      whole.push_back({"all", {}, policy});
      for (const WorkerId worker : instance.platform.workers()) whole[ContextId{0}].workers.push_back(worker);
      EXPECT_LE(*best.simulated, run(instance, with_all_tasks(instance.graph, whole)) + 1e-9);
    }
  }
  EXPECT_GT(joint, 0U);
}

TEST(Choose, RefusesWhatItCannotDo) {
  const auto sentence = [](const Instance& instance, const std::vector<Candidate>& candidates, const Options& options) {
    try {
      static_cast<void>(choose(instance, candidates, options));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Instance instance = mix(1, 10);
  const std::vector<Candidate> table = gazolla_2017(instance.platform);
  EXPECT_NE(sentence(instance, table, {.policies = {"eagre"}}).find("eager"), std::string::npos);
  EXPECT_NE(sentence(instance, table, {.policies = {}}).find("--policies"), std::string::npos);
  Instance dark = instance;
  dark.platform = Platform({{"cpu", 4}, {"gpu", 2}});
  EXPECT_NE(sentence(dark, table, {.objective = Objective::energy}).find("watts"), std::string::npos);
  EXPECT_EQ(sentence(dark, table, {}), "");
  // A type that runs on GPUs only, and a candidate without GPUs.
  Instance picky = instance;
  picky.costs.set_actual(Costs::row(TypeId{0}), ClassId{0}, kCannotRun);
  EXPECT_NE(sentence(picky, {table[0]}, {.method = Method::estimate}).find("no candidate"), std::string::npos);
  EXPECT_EQ(sentence(picky, {table[0]}, {}), "");
}

TEST(Words, AreThoseOfTheCommand) {
  EXPECT_EQ(parse_method("estimate"), Method::estimate);
  EXPECT_EQ(parse_method("simulate"), Method::simulate);
  EXPECT_EQ(parse_objective("energy"), Objective::energy);
  EXPECT_EQ(parse_reading("printed"), Reading::printed);
  EXPECT_THROW(static_cast<void>(parse_method("guess")), InputError);
}

}  // namespace
}  // namespace heddle::partition
